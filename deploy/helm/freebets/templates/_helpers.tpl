{{- define "freebets.labels" -}}
app.kubernetes.io/name: freebets
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "freebets.selector" -}}
app.kubernetes.io/name: freebets
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "freebets.name" -}}
{{- if eq .Release.Name "freebets" }}freebets{{ else }}{{ printf "%s-freebets" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "freebets.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "freebets.env" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.databaseUrl.name }}
      key: {{ .Values.secrets.databaseUrl.key }}
{{ include "freebets.settings" . }}
{{- end }}

{{- define "freebets.settings" -}}
- name: SECRETS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.secrets.secretsKey.name }}
      key: {{ .Values.secrets.secretsKey.key }}
{{- with .Values.secrets.oidcClientSecret.name }}
- name: OIDC_CLIENT_SECRET
  valueFrom:
    secretKeyRef:
      name: {{ . }}
      key: {{ $.Values.secrets.oidcClientSecret.key }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "freebets.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "freebets.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "freebets.databaseEgress" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
- ports:
    - port: {{ .database.port }}
  {{- if .database.to }}
  to:
    {{- toYaml .database.to | nindent 4 }}
  {{- end }}
{{- end }}
