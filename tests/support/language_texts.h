// What do people write, in the languages whose pages still come in charsets of their own?
//
// A few sentences of plain news each, and the charsets such pages come in. Detection is measured on pieces of
// them.
#pragma once

#include <array>
#include <string_view>

#include "core/text/charset.h"

namespace neardup {

struct LanguageText {
  std::string_view language;
  std::array<Charset, 3> charsets;  // the same one again where there are fewer
  std::string_view text;
};

inline constexpr std::array<LanguageText, 16> kLanguageTexts = {{
    {"zh-Hans",
     {Charset::kGb18030, Charset::kGb18030, Charset::kGb18030},
     "今年春天的雨水比往年来得早，河边的柳树三月初就已经发芽。市政府昨天公布了新的公共交通计划，从下个月起，"
     "地铁二号线的末班车将延长到午夜十二点半，沿线居民晚上回家会方便得多。负责这项工作的官员对记者表示，"
     "延长运营时间是根据去年的乘客调查决定的，一共有一万两千人参加了调查，其中超过七成的人希望晚上能多几班车"
     "。"
     "不过也有人担心噪音问题。住在车站旁边的王先生说，他并不反对地铁多开一个小时，但是希望车站的广播声音小一"
     "点。"
     "专家认为，城市的发展离不开方便的交通，可是也要考虑到老人和孩子的需要。图书馆和博物馆今后也会在周末延长"
     "开放时间，"
     "学生可以免费参观。关于票价，目前还没有最后的决定，有关部门将在五月底以前听取大家的意见，然后再作出安排"
     "。"},
    {"zh-Hant",
     {Charset::kBig5, Charset::kBig5, Charset::kBig5},
     "今年春天的雨水比往年來得早，河邊的柳樹三月初就已經發芽。市政府昨天公布了新的公共運輸計畫，從下個月起，"
     "捷運板南線的末班車將延長到午夜十二點半，沿線居民晚上回家會方便得多。負責這項工作的官員對記者表示，"
     "延長營運時間是根據去年的乘客調查決定的，一共有一萬兩千人參加了調查，其中超過七成的人希望晚上能多幾班車"
     "。"
     "不過也有人擔心噪音問題。住在車站旁邊的王先生說，他並不反對捷運多開一個小時，但是希望車站的廣播聲音小一"
     "點。"
     "專家認為，城市的發展離不開方便的交通，可是也要考慮到老人和孩子的需要。圖書館和博物館今後也會在週末延長"
     "開放時間，"
     "學生可以免費參觀。關於票價，目前還沒有最後的決定，有關部門將在五月底以前聽取大家的意見，然後再作出安排"
     "。"},
    {"ja",
     {Charset::kShiftJis, Charset::kEucJp, Charset::kIso2022Jp},
     "今年の春は例年より雨が多く、川沿いの柳は三月の初めに芽を出しました。市は昨日、新しい公共交通の計画を発"
     "表し、"
     "来月から地下鉄の終電を午前零時半まで延長することを明らかにしました。担当者によると、昨年行った利用者へ"
     "のアンケートには"
     "一万二千人が答え、そのうち七割を超える人が夜の電車を増やしてほしいと希望したということです。一方で、騒"
     "音を心配する声も"
     "あります。駅の近くに住む男性は「電車が増えるのはうれしいが、ホームの放送はもう少し静かにしてほしい」と"
     "話しています。"
     "専門家は、便利な交通は町の発展に欠かせないが、お年寄りや子どものことも考える必要があると指摘します。図"
     "書館と博物館も"
     "これから週末の開館時間を延ばし、学生は無料で見学できるようになります。料金についてはまだ決まっておらず"
     "、市は五月の終わりまでに"
     "市民の意見を聞いてから決めることにしています。"},
    {"ko",
     {Charset::kEucKr, Charset::kEucKr, Charset::kEucKr},
     "올해 봄에는 비가 예년보다 일찍 내려 강가의 버드나무가 삼월 초에 벌써 싹을 틔웠다. 시청은 어제 새로운 "
     "대중교통 계획을 발표하고 "
     "다음 달부터 지하철 이호선의 막차를 밤 열두 시 반까지 연장한다고 밝혔다. 담당 공무원은 기자들에게 "
     "지난해 실시한 승객 조사를 "
     "바탕으로 운행 시간을 늘리기로 결정했다고 설명했다. 조사에는 모두 만 이천 명이 참여했고 그 가운데 칠십 "
     "퍼센트가 넘는 사람이 "
     "밤에 열차가 더 많이 다니기를 바란다고 대답했다. 그러나 소음을 걱정하는 사람도 있다. 역 근처에 사는 김 "
     "씨는 지하철이 한 시간 "
     "더 다니는 것에는 반대하지 않지만 안내 방송 소리는 조금 작았으면 좋겠다고 말했다. 전문가들은 도시가 "
     "발전하려면 편리한 교통이 "
     "꼭 필요하지만 노인과 어린이의 형편도 함께 살펴야 한다고 지적한다. 도서관과 박물관도 앞으로 주말에 더 "
     "늦게까지 문을 연다."},
    {"ru",
     {Charset::kWindows1251, Charset::kKoi8R, Charset::kIso8859_5},
     "Этой весной дожди пришли раньше обычного, и ивы у реки распустились уже в начале марта. Вчера "
     "городская администрация "
     "представила новый план развития общественного транспорта: со следующего месяца последний поезд второй "
     "линии метро будет "
     "отправляться в половине первого ночи. По словам чиновников, решение приняли после прошлогоднего опроса "
     "пассажиров, в котором "
     "участвовали двенадцать тысяч человек, и больше семидесяти процентов из них просили увеличить число "
     "вечерних поездов. Впрочем, "
     "некоторых беспокоит шум. Житель дома рядом со станцией говорит, что он не против лишнего часа работы "
     "метро, но хотел бы, чтобы "
     "объявления на платформе звучали тише. Специалисты считают, что без удобного транспорта город "
     "развиваться не может, однако нужно "
     "думать и о пожилых людях, и о детях. Библиотеки и музеи тоже будут открыты по выходным дольше, а "
     "школьники смогут приходить бесплатно."},
    {"el",
     {Charset::kIso8859_7, Charset::kWindows1253, Charset::kIso8859_7},
     "Φέτος την άνοιξη οι βροχές ήρθαν νωρίτερα από άλλες χρονιές και οι ιτιές δίπλα στο ποτάμι άνθισαν ήδη "
     "στις αρχές του Μαρτίου. "
     "Ο δήμος παρουσίασε χθες το νέο σχέδιο για τις δημόσιες συγκοινωνίες: από τον επόμενο μήνα το τελευταίο "
     "τρένο της δεύτερης γραμμής "
     "του μετρό θα φεύγει στις δωδεκάμισι το βράδυ. Σύμφωνα με τους υπεύθυνους, η απόφαση στηρίζεται στην "
     "περσινή έρευνα, στην οποία "
     "πήραν μέρος δώδεκα χιλιάδες επιβάτες και περισσότεροι από τους μισούς ζήτησαν πιο πολλά δρομολόγια τη "
     "νύχτα. Υπάρχουν όμως και "
     "κάτοικοι που ανησυχούν για τον θόρυβο. Ένας άνδρας που μένει κοντά στον σταθμό είπε ότι δεν έχει "
     "αντίρρηση, αλλά θα ήθελε οι "
     "ανακοινώσεις να ακούγονται πιο χαμηλά. Οι βιβλιοθήκες και τα μουσεία θα μένουν επίσης ανοιχτά "
     "περισσότερες ώρες."},
    {"he",
     {Charset::kWindows1255, Charset::kIso8859_8, Charset::kWindows1255},
     "השנה הגיעו גשמי האביב מוקדם מהרגיל, והערבות שליד הנהר פרחו כבר בתחילת חודש מרץ. העירייה פרסמה אתמול את "
     "התוכנית החדשה לתחבורה "
     "הציבורית, ולפיה החל מהחודש הבא תצא הרכבת האחרונה של הקו השני בשתים עשרה וחצי בלילה. לדברי הפקידים "
     "האחראים ההחלטה התקבלה אחרי "
     "סקר שנערך בשנה שעברה, ובו השתתפו שנים עשר אלף נוסעים. יותר משבעים אחוזים מהם ביקשו להוסיף רכבות בשעות "
     "הערב. עם זאת יש תושבים "
     "שמודאגים מן הרעש. אדם שגר ליד התחנה אמר שהוא אינו מתנגד לשעה נוספת של פעילות, אבל היה רוצה שההודעות "
     "ברציף יישמעו חלש יותר. "
     "מומחים סבורים שעיר אינה יכולה להתפתח בלי תחבורה נוחה, אך צריך לחשוב גם על הקשישים ועל הילדים. גם "
     "הספריות והמוזיאונים יהיו פתוחים."},
    {"ar",
     {Charset::kWindows1256, Charset::kIso8859_6, Charset::kWindows1256},
     "هطلت أمطار الربيع هذا العام في وقت أبكر من المعتاد، وأزهرت أشجار الصفصاف على ضفة النهر منذ بداية شهر "
     "مارس. وأعلنت البلدية أمس عن "
     "خطة جديدة للنقل العام، وسوف ينطلق آخر قطار على الخط الثاني للمترو ابتداء من الشهر القادم في الساعة "
     "الثانية عشرة والنصف ليلا. وقال "
     "المسؤولون إن القرار اتخذ بعد استطلاع شارك فيه العام الماضي اثنا عشر ألف راكب، وطلب أكثر من سبعين في "
     "المئة منهم زيادة عدد القطارات "
     "في المساء. لكن بعض السكان يشعرون بالقلق من الضوضاء. وذكر رجل يسكن قرب المحطة أنه لا يعارض تشغيل المترو "
     "ساعة إضافية، غير أنه يتمنى "
     "أن يكون صوت الإعلانات أقل. ويرى الخبراء أن المدينة لا تتطور من دون مواصلات مريحة، ومن الضروري التفكير "
     "في كبار السن والأطفال أيضا."},
    {"th",
     {Charset::kWindows874, Charset::kWindows874, Charset::kWindows874},
     "ปีนี้ฝนฤดูใบไม้ผลิมาเร็วกว่าทุกปี ต้นหลิวริมแม่น้ำเริ่มแตกใบตั้งแต่ต้นเดือนมีนาคม เมื่อวานนี้เทศบาลประกาศแผนการขนส่งสาธารณะฉบับใหม่ "
     "ตั้งแต่เดือนหน้าเป็นต้นไปรถไฟฟ้าขบวนสุดท้ายของสายที่สองจะออกเวลาเที่ยงคืนครึ่ง "
     "เจ้าหน้าที่ที่รับผิดชอบกล่าวว่าการตัดสินใจครั้งนี้มาจากการสำรวจความคิดเห็น"
     "ของผู้โดยสารเมื่อปีที่แล้ว มีผู้เข้าร่วมทั้งหมดหนึ่งหมื่นสองพันคน และมากกว่าเจ็ดสิบเปอร์เซ็นต์ต้องการให้เพิ่มรถไฟในตอนกลางคืน "
     "แต่ก็มีบางคนกังวลเรื่องเสียงดัง "
     "ชายคนหนึ่งที่อาศัยอยู่ใกล้สถานีบอกว่าเขาไม่คัดค้าน แต่อยากให้เสียงประกาศเบาลงกว่านี้ "
     "ผู้เชี่ยวชาญเห็นว่าเมืองจะพัฒนาไม่ได้ถ้าไม่มีการเดินทางที่สะดวก"},
    {"tr",
     {Charset::kWindows1254, Charset::kWindows1254, Charset::kWindows1254},
     "Bu yıl ilkbahar yağmurları her zamankinden erken geldi ve nehir kıyısındaki söğütler daha mart başında "
     "yeşerdi. Belediye dün yeni "
     "toplu taşıma planını açıkladı: gelecek aydan itibaren metronun ikinci hattında son tren gece yarım "
     "saat daha geç kalkacak. "
     "Yetkililere göre bu karar, geçen yıl on iki bin yolcunun katıldığı araştırmaya dayanıyor; yolcuların "
     "yüzde yetmişinden fazlası "
     "akşamları daha çok sefer istedi. Ancak gürültüden kaygı duyanlar da var. İstasyonun yanında oturan bir "
     "kişi, metronun bir saat "
     "daha çalışmasına karşı olmadığını, fakat peronlardaki duyuruların biraz daha alçak sesle yapılmasını "
     "istediğini söyledi. Uzmanlar, "
     "rahat bir ulaşım olmadan şehrin gelişemeyeceğini, ama yaşlıların ve çocukların da düşünülmesi "
     "gerektiğini belirtiyor."},
    {"vi",
     {Charset::kWindows1258, Charset::kWindows1258, Charset::kWindows1258},
     "Năm nay mưa xuân đến sớm hơn mọi năm, hàng liễu ven sông đã nảy lộc từ đầu tháng ba. Hôm qua thành phố "
     "công bố kế hoạch giao thông "
     "công cộng mới: từ tháng sau, chuyến tàu điện ngầm cuối cùng của tuyến số hai sẽ chạy lúc mười hai giờ "
     "rưỡi đêm. Theo những người phụ "
     "trách, quyết định này dựa trên cuộc thăm dò ý kiến hành khách năm ngoái, với mười hai nghìn người tham "
     "gia và hơn bảy mươi phần trăm "
     "trong số đó muốn có thêm tàu vào buổi tối. Tuy vậy cũng có người lo ngại về tiếng ồn. Một người dân "
     "sống cạnh nhà ga nói rằng ông "
     "không phản đối việc tàu chạy thêm một giờ, nhưng mong loa thông báo nhỏ hơn một chút."},
    {"pl",
     {Charset::kIso8859_2, Charset::kWindows1250, Charset::kIso8859_2},
     "W tym roku wiosenne deszcze przyszły wcześniej niż zwykle i wierzby nad rzeką zazieleniły się już na "
     "początku marca. Wczoraj władze "
     "miasta przedstawiły nowy plan komunikacji miejskiej: od przyszłego miesiąca ostatni pociąg drugiej "
     "linii metra będzie odjeżdżał "
     "pół godziny po północy. Urzędnicy mówią, że decyzję podjęto po zeszłorocznej ankiecie, w której wzięło "
     "udział dwanaście tysięcy "
     "pasażerów, a ponad siedemdziesiąt procent z nich prosiło o więcej kursów wieczorem. Są jednak i tacy, "
     "którzy obawiają się hałasu. "
     "Mężczyzna mieszkający obok stacji powiedział, że nie ma nic przeciwko dodatkowej godzinie, ale "
     "chciałby, żeby zapowiedzi na peronie "
     "były trochę cichsze. Biblioteki i muzea również będą otwarte dłużej w weekendy, a uczniowie wejdą za "
     "darmo."},
    {"cs",
     {Charset::kWindows1250, Charset::kIso8859_2, Charset::kWindows1250},
     "Letos přišly jarní deště dříve než obvykle a vrby u řeky se zazelenaly už začátkem března. Radnice "
     "včera představila nový plán "
     "městské dopravy: od příštího měsíce bude poslední vlak druhé linky metra odjíždět půl hodiny po "
     "půlnoci. Podle úředníků se o tom "
     "rozhodlo po loňském průzkumu, kterého se zúčastnilo dvanáct tisíc cestujících, a více než sedmdesát "
     "procent z nich žádalo více "
     "večerních spojů. Někteří lidé se však obávají hluku. Muž, který bydlí vedle stanice, řekl, že proti "
     "další hodině provozu nic nemá, "
     "ale přál by si, aby hlášení na nástupišti bylo tišší. Odborníci soudí, že město se bez pohodlné "
     "dopravy nemůže rozvíjet, je však "
     "třeba myslet také na staré lidi a na děti. Knihovny a muzea budou o víkendech rovněž otevřeny déle."},
    {"fr",
     {Charset::kWindows1252, Charset::kIso8859_15, Charset::kWindows1252},
     "Cette année, les pluies du printemps sont arrivées plus tôt que d'habitude et les saules au bord de la "
     "rivière ont reverdi dès le "
     "début du mois de mars. La mairie a présenté hier son nouveau plan de transports : à partir du mois "
     "prochain, le dernier métro de la "
     "deuxième ligne partira une demi-heure après minuit. D'après les responsables, la décision a été prise "
     "à la suite d'une enquête menée "
     "l'année dernière auprès de douze mille voyageurs, dont plus de soixante-dix pour cent souhaitaient "
     "davantage de trains le soir. "
     "Certains habitants s'inquiètent cependant du bruit. Un homme qui habite à côté de la gare explique "
     "qu'il n'est pas opposé à cette "
     "heure supplémentaire, mais qu'il aimerait des annonces plus discrètes. Les élèves pourront visiter les "
     "musées gratuitement."},
    {"de",
     {Charset::kWindows1252, Charset::kWindows1252, Charset::kWindows1252},
     "In diesem Jahr kam der Frühlingsregen früher als üblich, und die Weiden am Fluss wurden schon Anfang "
     "März grün. Die Stadt stellte "
     "gestern ihren neuen Plan für den Nahverkehr vor: Ab dem nächsten Monat fährt der letzte Zug der "
     "zweiten Linie erst eine halbe "
     "Stunde nach Mitternacht. Nach Angaben der Behörde beruht die Entscheidung auf einer Umfrage vom "
     "vergangenen Jahr, an der zwölftausend "
     "Fahrgäste teilnahmen; mehr als siebzig Prozent wünschten sich abends zusätzliche Züge. Einige Anwohner "
     "fürchten jedoch den Lärm. Ein "
     "Mann, der neben dem Bahnhof wohnt, sagte, er habe nichts gegen die zusätzliche Stunde, würde sich aber "
     "leisere Durchsagen wünschen. "
     "Büchereien und Museen öffnen künftig am Wochenende ebenfalls länger, für Schüler ist der Eintritt dann "
     "frei."},
    {"uk",
     {Charset::kWindows1251, Charset::kKoi8U, Charset::kWindows1251},
     "Цієї весни дощі прийшли раніше, ніж зазвичай, і верби біля річки зазеленіли вже на початку березня. "
     "Учора міська влада представила "
     "новий план розвитку громадського транспорту: з наступного місяця останній поїзд другої лінії метро "
     "вирушатиме о пів на першу ночі. "
     "За словами посадовців, рішення ухвалили після торішнього опитування, у якому взяли участь дванадцять "
     "тисяч пасажирів, і понад "
     "сімдесят відсотків із них просили збільшити кількість вечірніх поїздів. Проте дехто побоюється шуму. "
     "Чоловік, який мешкає поруч зі "
     "станцією, каже, що не заперечує проти зайвої години роботи метро, але хотів би, щоб оголошення на "
     "платформі лунали тихіше."},
}};

}  // namespace neardup
