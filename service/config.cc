#include "service/config.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "core/base/ascii.h"
#include "core/covering_names.h"
#include "service/config_table.h"
#include "service/suggest.h"

namespace neardup {
namespace {

constexpr std::string_view kBlanks = " \t";
constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;
constexpr std::string_view kPrefix = "NEARDUP_";
constexpr std::string_view kProperties = "kafka.properties";
constexpr std::string_view kKafkaPrefix = "kafka.";
constexpr std::string_view kPropertyPrefix = "kafka.properties.";

constexpr std::string_view kFileVariable = "NEARDUP_CONFIG";  // names the file
// Variables of that prefix which are no settings: for the build, the tools, the tests and the choice of a
// kernel.
constexpr std::string_view kOtherVariables[] = {
    kFileVariable,  "NEARDUP_CACHE", "NEARDUP_ISA",           "NEARDUP_KAFKA_DIR",     "NEARDUP_CMAKE_ARGS",
    "NEARDUP_DATA", "NEARDUP_CASES", "NEARDUP_GOLDEN_UPDATE", "NEARDUP_KAFKA_HEAP_MB", "NEARDUP_KAFKA_JIT"};

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

std::string replace_all(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) {
    text.replace(at, what.size(), with);
  }
  return text;
}

// Of a setting or property, as far as it can be one: behind it may be a secret, however it was mistyped.
std::string name_of(std::string_view assignment) {
  return std::string(assignment.substr(0, assignment.find_first_of("=: \t")));
}

bool is_assignment(std::string_view assignment, std::string_view name) {
  return !name.empty() && assignment.substr(name.size()).starts_with('=');
}

std::string variable_of(std::string_view path) {
  return std::string(kPrefix) + upper(replace_all(std::string(path), ".", "__"));
}

// The path of `key` in a section: "kafka.brokers"; the root's own path is "".
std::string below(const std::string& path, std::string_view key) {
  std::string child = path;
  if (!child.empty()) child += '.';
  return child.append(key);
}

// Kubernetes puts the address of every Service of the namespace into each pod: of one named "neardup-http",
// NEARDUP_HTTP_SERVICE_HOST, NEARDUP_HTTP_PORT=tcp://10.0.0.1:80, NEARDUP_HTTP_PORT_80_TCP_ADDR and more.
bool from_kubernetes(std::string_view variable, std::string_view value) {
  if (variable.ends_with("_SERVICE_HOST") || variable.find("_SERVICE_PORT") != std::string_view::npos)
    return true;
  if (variable.ends_with("_PORT")) return value.find("://") != std::string_view::npos;
  const std::size_t port = variable.find("_PORT_");
  return port != std::string_view::npos && port + 6 < variable.size() && variable[port + 6] >= '0' &&
         variable[port + 6] <= '9';
}

// A word of a command line, as a person types it.
std::string for_shell(const std::string& word) {
  const auto is_plain = [](char c) {
    return is_ascii_letter(c) || is_ascii_digit(c) ||
           std::string_view("_./:,=@%+-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  return "'" + replace_all(word, "'", "'\\''") + "'";
}

// The items of a list of scalars, or nullopt.
std::optional<std::vector<std::string>> scalars(const YAML::Node& node) {
  std::vector<std::string> items;
  for (const YAML::Node& item : node) {
    if (!item.IsScalar()) return std::nullopt;
    items.push_back(item.Scalar());
  }
  return items;
}

// "a, b" or "[a, b]" of a variable or a flag.
std::optional<std::vector<std::string>> list_of_text(const std::string& text) {
  if (text.starts_with("[")) {
    try {
      const YAML::Node node = YAML::Load(text);
      return node.IsSequence() ? scalars(node) : std::nullopt;
    } catch (const YAML::Exception&) {
      return std::nullopt;
    }
  }
  std::vector<std::string> items;
  if (trimmed(text, kBlanks).empty()) return items;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = text.find(',', begin);
    items.emplace_back(trimmed(std::string_view(text).substr(begin, comma - begin), kBlanks));
    if (comma == std::string::npos) return items;
    begin = comma + 1;
  }
}

// Lays one source over the other and collects what is wrong with any of them.
class Loader {
 public:
  explicit Loader(const PropertyCheck& check) : check_(check) {
    for (const Setting& setting : settings()) {
      if (!setting.is_map()) loaded_.origin[std::string(setting.path)] = "default";
    }
  }

  // The file itself may fail; what is wrong inside is a mistake like any other.
  Status file(const std::string& path);
  void environment(const std::map<std::string, std::string>& variables);
  void set(const std::string& assignment);
  void property(const std::string& assignment);
  void whole();

  Result<LoadedConfig> finish() && {
    if (mistakes_.empty()) return std::move(loaded_);
    std::string all;
    for (const std::string& mistake : mistakes_) all += (all.empty() ? "" : "\n") + mistake;
    return Error{ErrorCode::kInvalid, all};
  }

 private:
  void section(const YAML::Node& node, const std::string& path, const std::string& file);
  void value(const Setting& setting, const YAML::Node& node, const std::string& origin);
  void text(const Setting& setting, const std::string& value, const std::string& origin);
  void one_property(const std::string& name, const std::string& value, const std::string& origin);
  void took(const Setting& setting, const Status& status, const std::string& origin);
  void repeat(const std::string& option, const std::string& assignment);

  void mistake(const std::string& origin, const std::string& words) {
    mistakes_.push_back(origin + ": " + words);
  }
  void mistake(const std::string& origin, std::string_view path, const std::string& words) {
    mistake(origin, std::string(path) + ": " + words);
  }
  void unknown(const std::string& origin, const std::string& path);
  std::string where(std::string_view path) const;

  const PropertyCheck& check_;
  LoadedConfig loaded_;
  std::vector<std::string> mistakes_;
};

Status Loader::file(const std::string& path) {
  std::string content(kFileBytesMax + 1, '\0');
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const int reason = errno;
    return Error{reason == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo, std::strerror(reason)}.in(path);
  }
  in.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (in.bad()) return Error{ErrorCode::kIo, "cannot be read; is it a file?"}.in(path);
  content.resize(static_cast<std::size_t>(in.gcount()));
  if (content.size() > kFileBytesMax) {
    return Error{ErrorCode::kInvalid, "is larger than 1 MiB, so it is no configuration"}.in(path);
  }
  try {
    // The library itself refuses nesting deeper than 500.
    const std::vector<YAML::Node> documents = YAML::LoadAll(content);
    if (documents.size() > 1)
      mistake(path, "holds more than one YAML document (a line '---' begins another)");
    if (!documents.empty()) section(documents.front(), "", path);
  } catch (const YAML::Exception& error) {
    const std::string line = error.mark.is_null() ? "" : ":" + std::to_string(error.mark.line + 1);
    mistake(path + line, "is not YAML: " + error.msg);
  }
  return {};
}

void Loader::section(const YAML::Node& node, const std::string& path, const std::string& file) {
  const std::string here = file + ":" + std::to_string(node.Mark().line + 1);
  if (node.IsNull()) return;  // "kafka:" with everything below commented out
  if (!node.IsMap()) {
    mistake(here, path.empty() ? "is not a map of settings" : path + ": is a section, not a value");
    return;
  }
  std::set<std::string> seen;
  for (const auto& pair : node) {
    const std::string origin = file + ":" + std::to_string(pair.first.Mark().line + 1);
    if (!pair.first.IsScalar()) {
      mistake(origin, "a key is not a word");
      continue;
    }
    const std::string& key = pair.first.Scalar();
    const std::string child = below(path, key);
    if (!seen.insert(key).second) {
      mistake(origin, child, "stands twice");
    } else if (key.find('.') != std::string::npos) {
      mistake(origin, child, "is written nested in YAML: one level for each part of the name");
    } else if (const Setting* const setting = find_setting(child); setting != nullptr) {
      value(*setting, pair.second, origin);
    } else if (!section_about(child).empty()) {
      section(pair.second, child, file);
    } else {
      unknown(origin, child);
    }
  }
}

void Loader::value(const Setting& setting, const YAML::Node& node, const std::string& origin) {
  if (setting.is_map()) {
    if (node.IsNull()) return;
    if (!node.IsMap()) return mistake(origin, setting.path, "is a map: property: value");
    std::set<std::string> seen;
    const std::string file = origin.substr(0, origin.rfind(':'));
    for (const auto& pair : node) {
      const std::string here = file + ":" + std::to_string(pair.first.Mark().line + 1);
      if (!pair.first.IsScalar() || !pair.second.IsScalar()) {
        mistake(here, setting.path, "a property and its value are words");
      } else if (!seen.insert(pair.first.Scalar()).second) {
        mistake(here, std::string(setting.path) + "." + name_of(pair.first.Scalar()), "stands twice");
      } else {
        one_property(pair.first.Scalar(), pair.second.Scalar(), here);
      }
    }
  } else if (node.IsNull()) {
    mistake(origin, setting.path, "has no value; leave the line out for the default");
  } else if (setting.is_list()) {
    std::optional<std::vector<std::string>> items;
    if (node.IsSequence()) items = scalars(node);
    if (node.IsScalar()) items = {node.Scalar()};
    if (!items) return mistake(origin, setting.path, "is a list of words: [a, b]");
    took(setting, assign_list(setting, loaded_.config, *std::move(items)), origin);
  } else if (node.IsScalar()) {
    took(setting, assign(setting, loaded_.config, node.Scalar()), origin);
  } else {
    mistake(origin, setting.path, "is one value, not a list or a map");
  }
}

void Loader::text(const Setting& setting, const std::string& value, const std::string& origin) {
  if (setting.is_map()) {
    mistake(origin, setting.path, "is set property by property: " + std::string(setting.path) + ".NAME");
  } else if (setting.is_list()) {
    std::optional<std::vector<std::string>> items = list_of_text(value);
    if (!items) return mistake(origin, setting.path, "is a list: a,b or [a, b]");
    took(setting, assign_list(setting, loaded_.config, *std::move(items)), origin);
  } else {
    took(setting, assign(setting, loaded_.config, value), origin);
  }
}

void Loader::took(const Setting& setting, const Status& status, const std::string& origin) {
  if (!status) return mistake(origin, setting.path, status.error().message);
  loaded_.origin[std::string(setting.path)] = origin;
}

void Loader::one_property(const std::string& name, const std::string& value, const std::string& origin) {
  const std::string path = std::string(kPropertyPrefix) + name_of(name);
  if (name_of(name) != name) {
    return mistake(origin, path,
                   "is not PROPERTY=VALUE, in YAML PROPERTY: VALUE; a name has no '=', ':' or space");
  }
  Status status = assign_property(*find_setting(kProperties), loaded_.config, name, value);
  if (status && check_) status = check_(name, value);
  if (!status) return mistake(origin, path, status.error().message);
  loaded_.origin[path] = origin;
}

// What is set by an argument, or by a variable that could be one.
void Loader::repeat(const std::string& option, const std::string& assignment) {
  loaded_.kafka_options += " " + option + " " + for_shell(assignment);
}

void Loader::unknown(const std::string& origin, const std::string& path) {
  const bool variable = path.starts_with(kPrefix);
  std::vector<std::string> known;
  for (const Setting& setting : settings()) {
    known.push_back(variable ? variable_of(setting.path) : std::string(setting.path));
  }
  const std::string near = closest(path, known);
  mistake(origin, "unknown setting \"" + path + "\"" + (near.empty() ? "" : "; did you mean " + near + "?"));
}

void Loader::environment(const std::map<std::string, std::string>& variables) {
  for (const auto& [original, value] : variables) {
    const std::string name = upper(original);
    if (!name.starts_with(kPrefix)) continue;
    if (std::find(std::begin(kOtherVariables), std::end(kOtherVariables), name) != std::end(kOtherVariables))
      continue;
    const std::string path =
        replace_all(lower_case(std::string_view(name).substr(kPrefix.size())), "__", ".");
    const std::string origin = "env " + name_of(original);
    if (path.starts_with(kPropertyPrefix)) {
      const std::string property = replace_all(path.substr(kPropertyPrefix.size()), "_", ".");
      repeat("-X", property + "=" + value);
      one_property(property, value, origin);
    } else if (const Setting* const setting = find_setting(path); setting != nullptr) {
      if (path.starts_with(kKafkaPrefix)) repeat("--set", path + "=" + value);
      text(*setting, value, origin);
    } else if (!from_kubernetes(name, value)) {
      unknown("env", name_of(original));
    }
  }
}

void Loader::set(const std::string& assignment) {
  const std::string path = name_of(assignment);
  if (!is_assignment(assignment, path)) return mistake("--set " + path, "is not NAME=VALUE");
  const std::string value = assignment.substr(path.size() + 1);
  if (path.starts_with(kKafkaPrefix)) repeat("--set", assignment);
  if (path.starts_with(kPropertyPrefix)) {
    one_property(path.substr(kPropertyPrefix.size()), value, "--set");
  } else if (const Setting* const setting = find_setting(path); setting != nullptr) {
    text(*setting, value, "--set");
  } else {
    unknown("--set", path);
  }
}

void Loader::property(const std::string& assignment) {
  const std::string name = name_of(assignment);
  if (!is_assignment(assignment, name)) return mistake("-X " + name, "is not PROPERTY=VALUE");
  repeat("-X", assignment);
  one_property(name, assignment.substr(name.size() + 1), "-X");
}

// "kafka.group (a.yaml:3)", for mistakes that two settings make together.
std::string Loader::where(std::string_view path) const {
  return std::string(path) + " (" + loaded_.origin.at(std::string(path)) + ")";
}

// What each setting alone cannot tell.
void Loader::whole() {
  const KafkaConfig& kafka = loaded_.config.kafka;

  // A topic that is both read and written would feed on itself; two kinds of records in one topic have no
  // reader.
  std::map<std::string, std::string_view> owner;
  const auto claim = [&](const std::string& topic, std::string_view path) {
    const auto [first, fresh] = owner.emplace(topic, path);
    if (!fresh)
      mistake(where(path),
              "\"" + topic + "\" is " + std::string(first->second) + " too; each needs a topic of its own");
  };
  if (kafka.topics.input.empty()) mistake(where("kafka.topics.input"), "is empty: there is nothing to read");
  for (const std::string& topic : kafka.topics.input) claim(topic, "kafka.topics.input");
  claim(kafka.topics.unique, "kafka.topics.unique");
  claim(kafka.topics.duplicate, "kafka.topics.duplicate");
  claim(kafka.topics.dead_letter, "kafka.topics.dead_letter");
  claim(kafka.topics.journal, "kafka.topics.journal");

  // Of a page that is the value there are no fields, and what names it is the key.
  if (const InputConfig& input = loaded_.config.input; input.preset == "raw") {
    for (const Setting& setting : settings()) {
      if (!setting.path.starts_with("input.fields.")) continue;
      if (std::get<std::vector<std::string>*>(setting.field(loaded_.config))->empty()) continue;
      mistake(where(setting.path), "preset \"raw\" has no fields; remove it, or choose preset \"json\"");
    }
    if (!input.id_from.empty() && input.id_from != std::vector<std::string>{"key"}) {
      mistake(where("input.id_from"), "with preset \"raw\" only the key can name a document; write [key]");
    }
  }

  if (const FingerprintConfig& fingerprint = loaded_.config.fingerprint;
      fingerprint.features == "ngrams" && !fingerprint.idf_file.empty()) {
    mistake(where("fingerprint.idf_file"),
            "weighs words, and fingerprint.features is ngrams; use words or shingles");
  }
  if (const FingerprintConfig& fingerprint = loaded_.config.fingerprint;
      fingerprint.kind == "minhash" &&
      (fingerprint.features != "words" || !fingerprint.stop_words_file.empty() ||
       !fingerprint.idf_file.empty())) {
    mistake(where("fingerprint.kind"),
            "is minhash, which is of all words alike; leave fingerprint.features at words, and "
            "stop_words_file and "
            "idf_file empty, or use simhash");
  }
  if (const DetectorConfig& detector = loaded_.config.detector;
      detector.mode == "mgram" && detector.gram_units == "content_words" &&
      loaded_.config.fingerprint.stop_words_file.empty()) {
    mistake(
        where("detector.gram_units"),
        "content_words are the words but for fingerprint.stop_words_file, which names none; name a list, or "
        "use words");
  }

  if (const ClustersConfig& clusters = loaded_.config.clusters;
      clusters.keep == "priority-source" && clusters.priority_sources.empty()) {
    mistake(where("clusters.keep"),
            "is priority-source, and clusters.priority_sources names none, so that it would be first; name "
            "hosts, the best first");
  }

  const std::string& covering = loaded_.config.index.covering;
  if (const int distance = distance_of_covering(covering);
      covering != "auto" && distance < loaded_.config.detector.distance) {
    mistake(where("index.covering"), covering + " finds all within " + std::to_string(distance) +
                                         " bits, and detector.distance is " +
                                         std::to_string(loaded_.config.detector.distance));
  }

  // Half a login is refused here, and not after ten seconds by a broker that only hangs up.
  const bool sasl = kafka.security_protocol.starts_with("sasl_");
  const bool tls = kafka.security_protocol.ends_with("ssl");
  if (sasl && kafka.sasl_mechanism.empty()) {
    mistake(where("kafka.security_protocol"), kafka.security_protocol + " needs kafka.sasl_mechanism");
  }
  if (sasl && kafka.sasl_mechanism != "OAUTHBEARER" && !kafka.sasl_mechanism.empty()) {
    if (kafka.sasl_username.empty())
      mistake(where("kafka.sasl_mechanism"), kafka.sasl_mechanism + " needs kafka.sasl_username");
    if (kafka.sasl_password_file.empty()) {
      mistake(where("kafka.sasl_mechanism"), kafka.sasl_mechanism + " needs kafka.sasl_password_file");
    }
  }
  // librdkafka's own method waits for a token that nobody brings, and says nothing.
  const auto property_is = [&](const char* name, std::string_view value) {
    const auto found = kafka.properties.find(name);
    return found != kafka.properties.end() && found->second == value;
  };
  if (kafka.sasl_mechanism == "OAUTHBEARER" && !property_is("sasl.oauthbearer.method", "oidc") &&
      !property_is("enable.sasl.oauthbearer.unsecure.jwt", "true")) {
    mistake(where("kafka.sasl_mechanism"),
            "OAUTHBEARER needs kafka.properties.sasl.oauthbearer.method: oidc, and "
            "sasl.oauthbearer.token.endpoint.url beside it: where the tokens come from");
  }
  const auto only_with = [&](bool speaks, const std::string& value, std::string_view path,
                             std::string_view protocols) {
    if (!speaks && !value.empty()) {
      mistake(where(path), "has no effect while kafka.security_protocol is " + kafka.security_protocol +
                               "; use " + std::string(protocols));
    }
  };
  only_with(sasl, kafka.sasl_mechanism, "kafka.sasl_mechanism", "sasl_ssl or sasl_plaintext");
  only_with(sasl, kafka.sasl_username, "kafka.sasl_username", "sasl_ssl or sasl_plaintext");
  only_with(sasl, kafka.sasl_password_file, "kafka.sasl_password_file", "sasl_ssl or sasl_plaintext");
  only_with(tls, kafka.tls_ca_file, "kafka.tls_ca_file", "ssl or sasl_ssl");
  only_with(tls, kafka.tls_certificate_file, "kafka.tls_certificate_file", "ssl or sasl_ssl");
  only_with(tls, kafka.tls_key_file, "kafka.tls_key_file", "ssl or sasl_ssl");
  if (!kafka.tls_certificate_file.empty() && kafka.tls_key_file.empty()) {
    mistake(where("kafka.tls_certificate_file"), "needs kafka.tls_key_file");
  }
  if (!kafka.tls_key_file.empty() && kafka.tls_certificate_file.empty()) {
    mistake(where("kafka.tls_key_file"), "needs kafka.tls_certificate_file");
  }
  if (!kafka.tls_key_password_file.empty() && kafka.tls_key_file.empty()) {
    mistake(where("kafka.tls_key_password_file"), "needs kafka.tls_key_file");
  }
}

}  // namespace

Result<LoadedConfig> load_config(const ConfigSources& sources, const PropertyCheck& check) {
  Loader loader(check);
  std::optional<std::string> file = sources.file;
  // In any case, as every other variable. Of two the one in capitals comes first, and counts.
  if (const auto named = std::ranges::find_if(
          sources.environment, [](const auto& variable) { return upper(variable.first) == kFileVariable; });
      !file && named != sources.environment.end()) {
    file = named->second;
  }
  if (file) {
    if (file->empty())
      return Error{ErrorCode::kInvalid, "NEARDUP_CONFIG: is empty; name a file, or unset it"};
    if (Status readable = loader.file(*file); !readable) return readable.error();
  }
  loader.environment(sources.environment);
  for (const std::string& assignment : sources.sets) loader.set(assignment);
  for (const std::string& assignment : sources.properties) loader.property(assignment);
  loader.whole();
  Result<LoadedConfig> loaded = std::move(loader).finish();
  if (loaded && file) loaded->kafka_options.insert(0, " -c " + for_shell(*file));
  return loaded;
}

Status check_files(const Config& config) {
  Config copy = config;  // the table leads to places that may be written
  std::string missing;
  for (const Setting& setting : settings()) {
    if (!setting.file) continue;
    const std::string& path = *std::get<std::string*>(setting.field(copy));
    if (path.empty()) continue;
    const bool readable = std::ifstream(path).peek() != std::ifstream::traits_type::eof();
    if (!readable) {
      missing += (missing.empty() ? "" : "\n") + std::string(setting.path) + ": " + path +
                 " is not a readable file, or empty";
    }
  }
  if (!missing.empty()) return Error{ErrorCode::kIo, missing};
  return {};
}

}  // namespace neardup
