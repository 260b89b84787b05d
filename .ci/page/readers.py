"""Reads what the Waterfall program has written with libraries that are not ours; exits 1 at the first thing they mind."""
import base64
import json
import re
import sys
from pathlib import Path

import jsonschema
from google.protobuf import json_format
from haralyzer import HarParser
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client.parser import text_string_to_metric_families

folder = Path(sys.argv[1])

number = {"type": "number", "minimum": -1}
text = {"type": "string"}
pairs = {"type": "array", "items": {"type": "object", "required": ["name", "value"], "properties": {"name": text, "value": text}}}


def record(required, **properties):
    return {"type": "object", "required": required, "properties": properties}


request = record(
    ["method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize"],
    method=text, url={"type": "string", "pattern": "^https?://[^#]+$"}, httpVersion={"enum": ["http/1.0", "http/1.1", "h2", "h3"]},
    cookies=pairs, headers=pairs, queryString=pairs, headersSize=number, bodySize=number,
    postData=record(["mimeType"], mimeType=text, text=text),
)
response = record(
    ["status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize", "bodySize"],
    status={"type": "integer", "minimum": 0, "maximum": 999}, statusText=text, cookies=pairs, headers=pairs,
    redirectURL=text, bodySize=number,
    content=record(["size", "mimeType"], size={"type": "integer", "minimum": 0}, mimeType=text, compression={"type": "integer"}),
)
positive = {"type": "number", "minimum": 0}
entry = record(
    ["startedDateTime", "time", "request", "response", "cache", "timings"],
    startedDateTime={"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$"}, time=positive,
    request=request, response=response, cache={"type": "object"},
    timings=record(
        ["send", "wait", "receive"], blocked=number, dns=number, connect=number, ssl=number,
        send=positive, wait=positive, receive=positive,
    ),
    serverIPAddress={"type": "string", "pattern": r"^[0-9a-f.:]+$"}, connection=text,
)
log = record(
    ["version", "creator", "pages", "entries"], version={"const": "1.2"}, creator=record(["name", "version"]),
    pages={"type": "array"}, entries={"type": "array", "minItems": 10, "items": entry},
)

har = json.loads((folder / "calls.har").read_text())
jsonschema.validate(har, record(["log"], log=log))
for item in har["log"]["entries"]:
    parts = [item["timings"][name] for name in ("blocked", "dns", "connect", "send", "wait", "receive")]
    assert abs(sum(part for part in parts if part > 0) - item["time"]) < 0.0005, item
print(f"jsonschema: {len(har['log']['entries'])} entries")

parser = HarParser(har)
assert parser.har_data["version"] == "1.2"
# It groups entries by page, and there are no pages: the entries themselves are what it reads.
from haralyzer import HarEntry  # noqa: E402

for item in har["log"]["entries"]:
    read = HarEntry(item)
    assert read.request.method and read.startTime is not None and read.time >= 0
print("haralyzer: read")


def ids(node):
    """Hex to what the JSON reader of protobuf takes for bytes; the lengths are checked, for it would not mind."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("traceId", "spanId", "parentSpanId"):
                raw = bytes.fromhex(value)
                assert value == value.lower() and len(raw) == (16 if key == "traceId" else 8) and any(raw), (key, value)
                node[key] = base64.b64encode(raw).decode()
            elif key.endswith("UnixNano") or key in ("intValue", "asInt", "count"):
                assert isinstance(value, str) and value.isdigit(), (key, value)
            elif key == "kind":
                assert isinstance(value, int), value
            else:
                ids(value)
    elif isinstance(node, list):
        for value in node:
            ids(value)


message = json.loads((folder / "otlp-traces.json").read_text())
ids(message)
traces = json_format.ParseDict(message, ExportTraceServiceRequest(), ignore_unknown_fields=False)
spans = traces.resource_spans[0].scope_spans[0].spans
clients = [span for span in spans if span.kind == 3]
assert len(clients) == len([item for item in har["log"]["entries"] if item["_coreNetKit"]["exchange"] > 0])
for span in clients:
    keys = {attribute.key for attribute in span.attributes}
    assert {"http.request.method", "server.address", "server.port", "url.full"} <= keys, keys
    assert span.end_time_unix_nano >= span.start_time_unix_nano
print(f"opentelemetry-proto: {len(spans)} spans")

message = json.loads((folder / "otlp-metrics.json").read_text())
ids(message)
metrics = json_format.ParseDict(message, ExportMetricsServiceRequest(), ignore_unknown_fields=False)
found = {metric.name: metric for metric in metrics.resource_metrics[0].scope_metrics[0].metrics}
for point in found["http.client.request.duration"].histogram.data_points:
    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
    assert sum(point.bucket_counts) == point.count
print(f"opentelemetry-proto: {len(found)} metrics")

families = {family.name: family for family in text_string_to_metric_families((folder / "metrics.txt").read_text())}
assert families["http_client_request_duration_seconds"].type == "histogram"
assert families["corenetkit_client_calls"].type == "counter"
print(f"prometheus-client: {len(families)} families")

parents = re.findall(r"traceparent: (\S+?)'", (folder / "calls.sh").read_text())
assert parents
for parent in parents:
    context = TraceContextTextMapPropagator().extract({"traceparent": parent})
    assert trace.get_current_span(context).get_span_context().is_valid, parent
print(f"opentelemetry-api: {len(parents)} traceparent fields")

events = json.loads((folder / "trace-events.json").read_text())["traceEvents"]
begun = sum(1 if event["ph"] == "b" else -1 for event in events)
assert begun == 0
print(f"trace events: {len(events)}, all begun ones ended")
