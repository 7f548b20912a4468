{{/* Names. */}}
{{- define "neardup.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{/* 52 characters at most: the longest name made of it adds an ordinal, a revision or "-topics" and has to stay below 64. */}}
{{- define "neardup.fullname" -}}
{{- $name := include "neardup.name" . -}}
{{- $both := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $both | trunc 52 | trimSuffix "-" -}}
{{- end -}}

{{- define "neardup.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (.Values.serviceAccount.create | ternary (include "neardup.fullname" .) "default") -}}
{{- end -}}

{{- define "neardup.image" -}}
{{- with .Values.image.registry }}{{ . }}/{{ end -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end -}}
{{- end -}}

{{/* Labels. A selector can never change, so it holds nothing that a value or a version could move. */}}
{{- define "neardup.selectorLabels" -}}
app.kubernetes.io/name: {{ include "neardup.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "neardup.labels" -}}
{{ include "neardup.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Without the chart's version: a new chart that changes nothing about the pods does not restart them. */}}
{{- define "neardup.podLabels" -}}
{{ include "neardup.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- with merge (dict) .Values.podLabels .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
The whole of `metadata` but for what an object adds below it. Takes [context, name suffix, labels, annotations, namespace].
An object's own labels and annotations go before the common ones; the schema keeps both off the chart's labels.
*/}}
{{- define "neardup.metadata" -}}
{{- $root := index . 0 -}}
name: {{ include "neardup.fullname" $root }}{{ index . 1 }}
namespace: {{ index . 4 | default $root.Release.Namespace | quote }}
labels:
  {{- include "neardup.labels" $root | nindent 2 }}
  {{- with merge (dict) (index . 2) $root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (index . 3) $root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A duration of Prometheus, 1m30s, in milliseconds. */}}
{{- define "neardup.milliseconds" -}}
{{- $unit := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 -}}
{{- $sum := 0 -}}
{{- range regexFindAll "[0-9]+[a-z]+" . -1 -}}
  {{- $sum = add $sum (mul (regexFind "[0-9]+" . | atoi) (get $unit (regexFind "[a-z]+" .))) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{/* One endpoint, as both kinds of monitor write it. */}}
{{- define "neardup.endpoint" -}}
port: http
path: /metrics
interval: {{ .interval }}
{{- with .scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
relabelings:
  # A replaced pod keeps its name and gets another address. By address its series would begin anew, and alerts that count
  # starts would see none.
  - {sourceLabels: [__meta_kubernetes_pod_name], targetLabel: instance}
  {{- with .relabelings }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
