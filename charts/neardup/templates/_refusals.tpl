{{/*
What values.schema.json cannot say, or not in words that help: values that are right each for itself and wrong together.
Rendering stops at the first; each message says what to do.
*/}}
{{/*
What a values file names and leaves empty, or --set x=null takes away: Helm drops it, and the schema does not see it. The
message of what would miss it names a template.
*/}}
{{- define "neardup.emptied" -}}
{{- range $path := list
      "autoscaling" "commonAnnotations" "commonLabels" "config" "image" "kafka" "kafka.sasl" "kafka.tls"
      "kafka.topics" "networkPolicy" "networkPolicy.kafkaPorts" "persistence" "podAnnotations" "podDisruptionBudget"
      "podLabels" "podMonitor" "prometheusRule" "prometheusRule.additionalGroups"
      "prometheusRule.additionalRuleAnnotations" "prometheusRule.additionalRuleLabels" "prometheusRule.disabled"
      "prometheusRule.overrides" "prometheusRule.thresholds" "service" "serviceAccount" "serviceMonitor" "tests"
      "topics" -}}
  {{- $value := $.Values -}}
  {{- range $key := splitList "." $path }}{{ $value = get $value $key }}{{ end -}}
  {{- if kindIs "string" $value -}}
    {{- fail (printf "%s: is empty, which takes its defaults away: leave it out, or write {} or [] for none" $path) -}}
  {{- end -}}
{{- end -}}
{{- if not (kindIs "bool" $.Values.serviceAccount.create) -}}
  {{- fail "serviceAccount.create: is empty: write true or false" -}}
{{- end -}}
{{- end -}}

{{- define "neardup.refusals" -}}
{{- $v := .Values -}}
{{- /* A Service may not be called so, and Kubernetes says it only after the job has made the topics. */ -}}
{{- $name := include "neardup.fullname" . -}}
{{- if not (regexMatch "^[a-z]([-a-z0-9]*[a-z0-9])?$" $name) -}}
  {{- fail (printf "fullnameOverride: objects would be called %s, which no Service may be: it begins with a letter and has only a-z, 0-9 and hyphens; set fullnameOverride to such a name" $name) -}}
{{- end -}}
{{- if $v.autoscaling.enabled -}}
  {{- fail "autoscaling: an index has one writer, so more pods do not decide faster. Give the pod more CPU (it signs on every core) and memory; replicaCount 2 adds a standby" -}}
{{- end -}}
{{- if and $v.podMonitor.enabled $v.serviceMonitor.enabled -}}
  {{- fail "podMonitor and serviceMonitor: both would scrape every pod, and every rate would count twice; enable one (the podMonitor)" -}}
{{- end -}}
{{- range $name := list "podMonitor" "serviceMonitor" -}}
  {{- $monitor := get $v $name -}}
  {{- $timeout := include "neardup.milliseconds" ($monitor.scrapeTimeout | default "") | atoi -}}
  {{- if gt $timeout (include "neardup.milliseconds" ($monitor.interval | default "") | atoi) -}}
    {{- fail (printf "%s.scrapeTimeout: %s is longer than its interval, %s, and Prometheus refuses that; raise the interval" $name $monitor.scrapeTimeout $monitor.interval) -}}
  {{- end -}}
{{- end -}}
{{- if and (not $v.kafka.tls.enabled) (or $v.kafka.tls.caSecret $v.kafka.tls.clientSecret) -}}
  {{- fail "kafka.tls: its secrets have no effect while kafka.tls.enabled is false" -}}
{{- end -}}
{{- if and $v.kafka.tls.keyPasswordKey (not $v.kafka.tls.clientSecret) -}}
  {{- fail "kafka.tls.keyPasswordKey: needs kafka.tls.clientSecret" -}}
{{- end -}}
{{- if and (not $v.kafka.sasl.enabled) (or $v.kafka.sasl.username $v.kafka.sasl.existingSecret) -}}
  {{- fail "kafka.sasl: user and secret have no effect while kafka.sasl.enabled is false" -}}
{{- end -}}
{{- if and $v.kafka.sasl.enabled (ne $v.kafka.sasl.mechanism "OAUTHBEARER") (not (and $v.kafka.sasl.username $v.kafka.sasl.existingSecret)) -}}
  {{- fail (printf "kafka.sasl: %s needs kafka.sasl.username and kafka.sasl.existingSecret" $v.kafka.sasl.mechanism) -}}
{{- end -}}
{{- if $v.existingConfigMap -}}
  {{- if $v.config -}}
    {{- fail "config: has no effect beside existingConfigMap; write the settings into that ConfigMap" -}}
  {{- end -}}
{{- else -}}
  {{- $config := include "neardup.config" . | fromYaml -}}
  {{- if not $config.kafka.brokers -}}
    {{- fail "kafka.brokers: where is Kafka? For example --set kafka.brokers=kafka:9092" -}}
  {{- end -}}
  {{- range splitList "," $config.kafka.brokers -}}
    {{- if not (regexMatch ":[0-9]+$" (trim .)) -}}
      {{- fail (printf "kafka.brokers: %s has no port; for example %s:9092" (trim .) (trim .)) -}}
    {{- end -}}
  {{- end -}}
  {{- if ne $config.http.address "0.0.0.0" -}}
    {{- fail "config.http.address: probes and Prometheus come from outside of the pod, so it stays 0.0.0.0" -}}
  {{- end -}}
  {{- if eq (int $config.http.port) 0 -}}
    {{- fail "config.http.port: probes and Prometheus need to know the port, so it cannot be 0" -}}
  {{- end -}}
{{- end -}}
{{- if and $v.networkPolicy.enabled (not (include "neardup.kafkaPorts" . | fromYamlArray)) -}}
  {{- fail "networkPolicy.kafkaPorts: name the ports of the brokers; kafka.brokers does not" -}}
{{- end -}}
{{- end -}}
