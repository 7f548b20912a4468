{{/*
What the service reads: /etc/neardup/neardup.yaml, and the secrets it names beside it.

/etc/neardup is one projected volume, because a volume cannot be mounted inside a read-only one.
*/}}
{{- define "neardup.config" -}}
{{- $values := .Values.kafka -}}
{{- $topics := dict "input" $values.topics.input "unique" $values.topics.unique "duplicate" $values.topics.duplicate
      "dead_letter" $values.topics.deadLetter "journal" $values.topics.journal -}}
{{- $kafka := dict "brokers" $values.brokers "group" $values.group "topics" $topics -}}
{{- with $values.tls }}{{ if .enabled }}
  {{- $_ := set $kafka "security_protocol" "ssl" -}}
  {{- if .caSecret }}{{ $_ := set $kafka "tls_ca_file" "/etc/neardup/tls/ca.crt" }}{{ end -}}
  {{- if .clientSecret -}}
    {{- $_ := set $kafka "tls_certificate_file" "/etc/neardup/tls/client.crt" -}}
    {{- $_ := set $kafka "tls_key_file" "/etc/neardup/tls/client.key" -}}
    {{- if .keyPasswordKey }}{{ $_ := set $kafka "tls_key_password_file" "/etc/neardup/tls/client.password" }}{{ end -}}
  {{- end -}}
{{- end }}{{ end -}}
{{- with $values.sasl }}{{ if .enabled }}
  {{- $_ := set $kafka "security_protocol" ($values.tls.enabled | ternary "sasl_ssl" "sasl_plaintext") -}}
  {{- $_ := set $kafka "sasl_mechanism" .mechanism -}}
  {{- if .username }}{{ $_ := set $kafka "sasl_username" .username }}{{ end -}}
  {{- if .existingSecret }}{{ $_ := set $kafka "sasl_password_file" "/etc/neardup/sasl/password" }}{{ end -}}
{{- end }}{{ end -}}
{{- with $values.properties }}{{ $_ := set $kafka "properties" . }}{{ end -}}
{{- $generated := dict "kafka" $kafka "http" (dict "address" "0.0.0.0" "port" 9301) "log" (dict "format" "json") -}}
{{- if .Values.persistence.enabled }}{{ $_ := set $generated "snapshot" (dict "directory" "/var/lib/neardup/snapshot") }}{{ end -}}
{{- mustMergeOverwrite $generated (deepCopy .Values.config) | toYaml -}}
{{- end -}}

{{- define "neardup.port" -}}
{{- (include "neardup.config" . | fromYaml).http.port -}}
{{- end -}}

{{/* Takes [context, name of the ConfigMap that the chart writes]. */}}
{{- define "neardup.configVolume" -}}
{{- $root := index . 0 -}}
name: config
projected:
  defaultMode: 0440
  sources:
    - configMap:
        name: {{ $root.Values.existingConfigMap | default (index . 1) | quote }}
        items: [{key: {{ empty $root.Values.existingConfigMap | ternary "neardup.yaml" $root.Values.existingConfigMapKey | quote }}, path: neardup.yaml}]
    {{- with $root.Values.kafka.tls }}
    {{- if and .enabled .caSecret }}
    - secret:
        name: {{ .caSecret | quote }}
        items: [{key: {{ .caKey | quote }}, path: tls/ca.crt}]
    {{- end }}
    {{- if and .enabled .clientSecret }}
    - secret:
        name: {{ .clientSecret | quote }}
        items:
          - {key: {{ .certKey | quote }}, path: tls/client.crt}
          - {key: {{ .keyKey | quote }}, path: tls/client.key}
          {{- with .keyPasswordKey }}
          - {key: {{ . | quote }}, path: tls/client.password}
          {{- end }}
    {{- end }}
    {{- end }}
    {{- with $root.Values.kafka.sasl }}
    {{- if and .enabled .existingSecret }}
    - secret:
        name: {{ .existingSecret | quote }}
        items: [{key: {{ .passwordKey | quote }}, path: sasl/password}]
    {{- end }}
    {{- end }}
{{- end -}}

{{/* What the pods of the service and the pods that look after its topics have in common, below `spec`. */}}
{{- define "neardup.podSpec" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- toYaml .Values.podSecurityContext | nindent 2 }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The same for their containers. */}}
{{- define "neardup.container" -}}
image: {{ include "neardup.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  {{- toYaml .Values.securityContext | nindent 2 }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "neardup.volumeMounts" -}}
- {name: config, mountPath: /etc/neardup, readOnly: true}
- {name: tmp, mountPath: /tmp}
{{- end -}}

{{/* A pod that runs one command of neardup about topics and ends. Takes [context, ConfigMap, command line]. */}}
{{- define "neardup.topicsPodSpec" -}}
{{- $root := index . 0 -}}
restartPolicy: Never
{{ include "neardup.podSpec" $root }}
containers:
  - name: topics
    {{- include "neardup.container" $root | nindent 4 }}
    args: {{ concat (list "topics") (index . 2) (list "--config" "/etc/neardup/neardup.yaml") | toJson }}
    resources:
      {{- toYaml $root.Values.topics.resources | nindent 6 }}
    volumeMounts:
      {{- include "neardup.volumeMounts" $root | nindent 6 }}
      {{- with $root.Values.extraVolumeMounts }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
volumes:
  - {{ include "neardup.configVolume" (list $root (index . 1)) | nindent 4 | trim }}
  - {name: tmp, emptyDir: {}}
  {{- with $root.Values.extraVolumes }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* The ports of Kafka, as a list: those that are named, or those in the addresses of the brokers. */}}
{{- define "neardup.kafkaPorts" -}}
{{- $brokers := empty .Values.existingConfigMap | ternary (include "neardup.config" . | fromYaml).kafka.brokers .Values.kafka.brokers -}}
{{- $ports := .Values.networkPolicy.kafkaPorts -}}
{{- if and $brokers (not $ports) -}}
  {{- range splitList "," $brokers }}{{ $ports = append $ports (splitList ":" . | last | int) }}{{ end -}}
{{- end -}}
{{- $ports | uniq | toYaml -}}
{{- end -}}

{{/* Where the pods may go: to DNS, to Kafka, and where the user says. */}}
{{- define "neardup.egress" -}}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
- ports:
    {{- range include "neardup.kafkaPorts" . | fromYamlArray }}
    - {port: {{ . }}, protocol: TCP}
    {{- end }}
  {{- with .Values.networkPolicy.kafkaTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with .Values.networkPolicy.extraEgress }}
{{ toYaml . }}
{{- end }}
{{- end -}}
