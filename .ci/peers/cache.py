"""Compares the decisions of the cache with those of hishel (PyPI), for random header sets that are the same each time.

usage: cache.py CACHE-SUITE COUNT. A difference counts as explained when both agree once one feature that they treat differently
on purpose is taken out of the question; what stays unexplained is a failure.
"""
import collections, email.utils, json, random, subprocess, sys, uuid
from unittest import mock
import importlib.metadata
import hishel
from hishel._core import _spec
from hishel._core._headers import Headers
from hishel._core.models import Entry, Request, Response

suite, count = sys.argv[1], int(sys.argv[2])
engine = subprocess.Popen([suite, "decide"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
options = dict(shared=False, allow_stale=False, supported_methods=["GET"])
RECEIVED = 1_800_000_000
URL = "http://shop.test/"
dice = random.Random(9111)

def date(seconds):
    return email.utils.formatdate(RECEIVED + seconds, usegmt=True)

def ours(case):
    engine.stdin.write(json.dumps(case) + "\n")
    return json.loads(engine.stdout.readline())

def collect(pairs):
    fields = {}
    for name, value in pairs:
        fields.setdefault(name.lower(), []).append(value)
    return Headers(fields)

def theirs(case):
    first = Request("GET", URL, collect(case["first"]))
    response = Response(case["status"], collect(case["response"]))
    with mock.patch("time.time", lambda: RECEIVED):
        state = _spec.CacheMiss(options=options, request=first).next(response)
    if type(state).__name__ != "StoreAndUse":
        return {"stored": False, "action": "ask"}
    entry = Entry(uuid.UUID(int=1), first, state.response)
    with mock.patch("time.time", lambda: RECEIVED + case["elapsed"]):
        state = _spec.IdleClient(options=options).next(Request("GET", URL, collect(case["request"])), [entry])
    return {"stored": True, "action": "use" if type(state).__name__ == "FromCache" else "ask"}

def maybe(chance, value):
    return [value] if dice.random() < chance else []

def directives(names, most):
    return ", ".join(dice.sample(names, dice.randint(1, most)))

def case():
    number = lambda: dice.choice([0, 1, 5, 60, 600, 86400, 10**6])
    control = [f"max-age={number()}", f"max-age={number()}", "no-cache", "no-store", "private", "public",
               "must-revalidate", "immutable", f"s-maxage={number()}", "must-understand", "ext=\"max-age=9\"",
               f"stale-while-revalidate={number()}", f"stale-if-error={number()}", f"max-age=\"{number()}\"",
               "max-age=-1", "max-age=1.5", "no-cache=\"a\"", "proxy-revalidate"]
    asked = [f"max-age={number()}", f"min-fresh={number()}", f"max-stale={number()}", "max-stale", "no-cache",
             "no-store", "only-if-cached", "no-transform"]
    response = (maybe(0.7, ("Cache-Control", directives(control, 3)))
                + maybe(0.15, ("Cache-Control", directives(control, 1)))
                + maybe(0.4, ("Expires", dice.choice([date(number()), date(-number()), "0", "-1", "soon"])))
                + maybe(0.6, ("Date", dice.choice([date(0), date(0), date(-number()), date(number())])))
                + maybe(0.2, ("Age", dice.choice(["0", "5", "60", "100000", "-1", "x", "5, 60"])))
                + maybe(0.5, ("Last-Modified", date(-number() * 100)))
                + maybe(0.5, ("ETag", dice.choice(["\"a\"", "W/\"a\""])))
                + maybe(0.2, ("Vary", dice.choice(["Foo", "Foo, Bar", "*", "Foo, *", "accept-language"]))))
    fields = lambda: (maybe(0.3, ("Foo", dice.choice(["1", "2", "1, 2", "1,2"])))
                      + maybe(0.2, ("Accept-Language", dice.choice(["en, de", "EN,de"]))))
    return {"first": fields() + maybe(0.1, ("Cache-Control", "no-store")),
            "request": fields() + maybe(0.3, ("Cache-Control", directives(asked, 2))) + maybe(0.1, ("Pragma", "no-cache")),
            "response": response, "elapsed": number(), "received": RECEIVED,
            "status": dice.choice([200] * 8 + [201, 203, 204, 301, 302, 403, 404, 410, 500, 503, 206, 304, 599])}

def without(case, part, name, keep=lambda value: False):
    return {**case, part: [p for p in case[part] if p[0].lower() != name or keep(p[1])]}

def without_directive(case, part, *names):
    def kept(value):
        members = []
        for member in (m.strip() for m in value.split(",")):
            if member.split("=")[0].lower() not in names:
                members.append(member)
        return ", ".join(members)
    pairs = [(n, kept(v)) if n.lower() == "cache-control" else (n, v) for n, v in case[part]]
    return {**case, part: [(n, v) for n, v in pairs if n.lower() != "cache-control" or v]}

def no_second(case, part, name):
    seen, pairs = set(), []
    for n, v in case[part]:
        if n.lower() == name and name in seen:
            continue
        seen.add(n.lower())
        pairs.append((n, v))
    return {**case, part: pairs}

# What both treat differently on purpose: the sentence says what hishel does.
FEATURES = [
    ("ignores the directives of requests but no-cache",
     lambda c: without_directive(c, "request", "max-age", "min-fresh", "max-stale", "only-if-cached")),
    ("ignores Pragma", lambda c: without(c, "request", "pragma")),
    ("ignores no-store of requests", lambda c: without_directive(c, "first", "no-store")),
    ("ignores Age", lambda c: without(c, "response", "age")),
    ("takes the age from Date and the clock of this machine",
     lambda c: {**without(c, "response", "date"), "response": without(c, "response", "date")["response"] + [("Date", date(0))]}),
    ("estimates a lifetime where Expires is no date or has passed", lambda c: without(c, "response", "expires")),
    ("estimates up to a week, and without Last-Modified", lambda c: without(c, "response", "last-modified")),
    ("knows neither stale-while-revalidate nor stale-if-error",
     lambda c: without_directive(c, "response", "stale-while-revalidate", "stale-if-error")),
    ("ignores must-understand", lambda c: without_directive(c, "response", "must-understand")),
    ("uses a field list of no-cache", lambda c: without_directive(c, "response", "no-cache")),
    ("reads max-age otherwise where it is no number, quoted or double",
     lambda c: without_directive(c, "response", "max-age", "ext")),
    ("stores what varies by everything", lambda c: without(c, "response", "vary")),
    ("compares selecting fields as text", lambda c: without(without(without(without(
        c, "request", "foo"), "first", "foo"), "request", "accept-language"), "first", "accept-language")),
    ("counts proxy-revalidate and s-maxage", lambda c: without_directive(c, "response", "proxy-revalidate", "s-maxage")),
    ("asks for statuses that have no estimate, or stores them", lambda c: {**c, "status": 200}),
]

def compare(case):
    mine, other = ours(case), theirs(case)
    action = "use" if mine["action"] in ("use", "stale") else "ask"
    return mine["stored"] == other["stored"] and (not mine["stored"] or action == other["action"])

def explanation(case):
    for sentence, change in FEATURES:
        if compare(change(case)):
            return sentence
    for index, (sentence, change) in enumerate(FEATURES):
        for other, second in FEATURES[index + 1:]:
            if compare(second(change(case))):
                return f"{sentence} + {other}"
    changed = case
    for sentence, change in FEATURES:
        changed = change(changed)
    return "three or more of these" if compare(changed) else None

classes, unexplained, same = collections.Counter(), [], 0
for _ in range(count):
    question = case()
    if compare(question):
        same += 1
        continue
    found = explanation(question)
    if found is None:
        unexplained.append(question)
    classes[found or "UNEXPLAINED"] += 1
print(f"hishel {importlib.metadata.version('hishel')}: {same} of {count} decisions are the same")
for sentence, number in classes.most_common():
    print(f"{number:6d}  hishel {sentence}" if sentence != "UNEXPLAINED" else f"{number:6d}  {sentence}")
for question in unexplained[:5]:
    print(json.dumps(question), ours(question), theirs(question))
sys.exit(1 if unexplained else 0)
