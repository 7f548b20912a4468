#!/usr/bin/env bash
# kafka_fixture.sh start|stop: the Kafka of the integration tests, in the folder NEARDUP_KAFKA_DIR.
set -euo pipefail
kafka="$(dirname "${BASH_SOURCE[0]}")/../support/kafka.sh"
case ${1:-} in
  start)
    "$kafka" wipe >/dev/null 2>&1 || true # what an interrupted run may have left
    # whoever is forbidden nothing may do everything
    servers=$("$kafka" start --set authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer \
      --set allow.everyone.if.no.acl.found=true | tee /dev/stderr | sed -n 's/^bootstrap.servers=//p')
    echo "$servers" >"$NEARDUP_KAFKA_DIR/bootstrap.servers"
    ;;
  stop) "$kafka" wipe ;;
  *) echo "kafka_fixture.sh start|stop" >&2 && exit 2 ;;
esac
