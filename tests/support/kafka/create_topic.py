#!/usr/bin/env python3
"""Creates a topic: create_topic.py HOST:PORT NAME [PARTITIONS] [on=NODE] [KEY=VALUE...]

kcat can do everything a test needs but this, and Kafka's own tool takes a second and a half to start. One CreateTopics
request (key 19, version 4: the last one without compact encodings) is little to write. A replication factor of -1
leaves it to the broker's default; on=NODE means one replica, there. A topic that exists already is no error.
"""

import socket
import struct
import sys

CREATE_TOPICS, VERSION, TIMEOUT_MS = 19, 4, 10_000
NO_ERROR, TOPIC_ALREADY_EXISTS = 0, 36


def string(text):
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def array(items):
    return struct.pack(">i", len(items)) + b"".join(items)


def request(name, partitions, settings):
    configs = [string(key) + string(value) for key, value in settings if key != "on"]
    nodes = [int(value) for key, value in settings if key == "on"]
    replicas = [struct.pack(">i", p) + array([struct.pack(">i", nodes[0])]) for p in range(partitions) if nodes]
    topic = string(name) + struct.pack(">ih", -1 if nodes else partitions, -1) + array(replicas) + array(configs)
    header = struct.pack(">hhi", CREATE_TOPICS, VERSION, 1) + string("create_topic")
    body = header + array([topic]) + struct.pack(">i?", TIMEOUT_MS, False)
    return struct.pack(">i", len(body)) + body


def receive(connection, count):
    data = b""
    while len(data) < count:
        part = connection.recv(count - len(data))
        if not part:
            sys.exit("create_topic: the broker closed the connection")
        data += part
    return data


def main(arguments):
    host, port = arguments[0].rsplit(":", 1)
    name = arguments[1]
    settings = [argument.split("=", 1) for argument in arguments[2:] if "=" in argument]
    numbers = [int(argument) for argument in arguments[2:] if "=" not in argument]
    with socket.create_connection((host, int(port)), timeout=TIMEOUT_MS / 1000) as connection:
        connection.sendall(request(name, numbers[0] if numbers else 1, settings))
        answer = receive(connection, struct.unpack(">i", receive(connection, 4))[0])
    # correlation id, throttle time, one topic: its name, an error code, a message or null (length -1)
    (name_length,) = struct.unpack_from(">h", answer, 12)
    code, message_length = struct.unpack_from(">hh", answer, 14 + name_length)
    message = answer[18 + name_length :][: max(message_length, 0)].decode()
    if code not in (NO_ERROR, TOPIC_ALREADY_EXISTS):
        sys.exit(f"create_topic: {name}: error {code} {message}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.exit(f"create_topic: {sys.argv[1]}: {error}")
