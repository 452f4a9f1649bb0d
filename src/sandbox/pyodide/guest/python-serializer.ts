/** Python: values as the JSON that leaves the guest, within limits, and errors in words. */
export const PYTHON_SERIALIZER = String.raw`
class Refusal(Exception):
    def __init__(self, kind, problem):
        self.kind = kind
        self.problem = problem
        self.path = ""


class Serializer:
    """Writes JSON. What it has no form for is refused with its path in an argument, and an object with a $type in a result."""

    def __init__(self, limits, tagging, settled=None):
        self.left = limits["maxChars"]
        self.nesting = limits["maxNesting"]
        self.tagging = tagging
        self.settled = settled or {}
        self.open = set()
        self.parts = []

    def text(self, value):
        self.write(value, 0)
        return "".join(self.parts)

    def put(self, text):
        self.left -= len(text)
        if self.left < 0:
            raise Refusal("size", "the value is too large")
        self.parts.append(text)

    def odd(self, kind, fields, problem):
        if not self.tagging:
            raise Refusal("value", problem)
        self.put('{"$type":' + quote(kind) + ("," + fields if fields else "") + "}")

    def write(self, value, depth):
        if id(value) in self.settled:
            value = self.settled[id(value)][1]
        kind = type(value)
        if value is None:
            self.put("null")
        elif kind is str:
            self.put(quote(value))
        elif kind is bool:
            self.put("true" if value else "false")
        elif kind is int:
            self.write_int(value)
        elif kind is float:
            self.write_float(value)
        else:
            self.write_object(value, kind, depth)

    def write_int(self, value):
        if -MAX_SAFE_INTEGER <= value <= MAX_SAFE_INTEGER:
            return self.put(str(value))
        if value.bit_length() > 12_000:
            return self.odd("BigInt", '"value":' + quote(hex(value)[:1000]), "the integer is too large for JSON; use str(…)")
        self.odd("BigInt", '"value":"' + str(value) + '"', "the integer is too large for JSON; use str(…)")

    def write_float(self, value):
        if value != value or value in (float("inf"), float("-inf")):
            name = "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
            return self.odd("Number", '"value":"' + name + '"', name + " has no JSON form")
        self.put(str(int(value)) if value.is_integer() and abs(value) <= MAX_SAFE_INTEGER else repr(value))

    def write_object(self, value, kind, depth):
        if depth > self.nesting:
            raise Refusal("nesting", f"it is nested more than {self.nesting} levels deep")
        if id(value) in self.open:
            return self.odd("Circular", "", "it contains itself; leave the cycle out")
        self.open.add(id(value))
        start, left = len(self.parts), self.left
        try:
            self.write_kind(value, kind, depth)
        except Refusal:
            raise
        except Exception:
            del self.parts[start:]
            self.left = left
            self.odd("Unreadable", "", "reading it raises an error")
        finally:
            self.open.discard(id(value))

    def write_kind(self, value, kind, depth):
        if issubclass(kind, dict):
            return self.write_dict(value, depth, None if kind in PLAIN_DICTS or not self.tagging else kind.__name__)
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return self.write_dict(dict(zip(kind._fields, tuple.__iter__(value))), depth, kind.__name__ if self.tagging else None)
        if issubclass(kind, LISTS):
            return self.write_list(value, depth)
        if issubclass(kind, SETS):
            return self.write_tagged("Set", "values", sorted_if_possible(value), depth, "a set has no JSON form; use sorted(…) or list(…)")
        if issubclass(kind, (bytes, bytearray, memoryview)):
            data = base64.b64encode(bytes(value)).decode()
            return self.odd("Bytes", f'"length":{len(bytes(value))},"base64":"{data}"', "bytes have no JSON form; use .decode() or base64")
        if issubclass(kind, enum.Enum):
            return self.write(value.value, depth + 1)
        if issubclass(kind, str):
            return self.put(quote(str.__str__(value)))
        if issubclass(kind, int):
            return self.write_int(int.__int__(value))
        if issubclass(kind, float):
            return self.write_float(float.__float__(value))
        if issubclass(kind, DATES):
            return self.put(quote(value.isoformat()))
        if issubclass(kind, (decimal.Decimal, uuid.UUID)):
            return self.put(quote(str(value)))
        if issubclass(kind, complex):
            return self.odd("Complex", '"value":' + quote(str(value)), "a complex number has no JSON form")
        if issubclass(kind, BaseException):
            fields = f'"name":{quote(kind.__name__)},"message":{quote(cut(message_of(value), MAX_MESSAGE_CHARS))}'
            return self.odd("Error", fields, "an exception has no JSON form; use str(…)")
        if is_awaitable(value):
            return self.odd("Coroutine", "", "it is a coroutine: write await before the call that made it")
        if isinstance(value, FUNCTIONS):
            return self.odd("Function", '"name":' + quote(name_of(value)), "a function has no JSON form; call it, or leave it out")
        if isinstance(value, type):
            return self.odd("Class", '"name":' + quote(name_of(value)), "a class has no JSON form")
        if isinstance(value, types.ModuleType):
            return self.odd("Module", '"name":' + quote(name_of(value)), "a module has no JSON form")
        if isinstance(value, ITERATORS):
            return self.odd("Iterator", '"name":' + quote(kind.__name__), "an iterator has no JSON form; use list(…)")
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return self.write_dict(fields, depth, kind.__name__ if self.tagging else None)
        if type(getattr(value, "__dict__", None)) is dict:
            return self.write_dict(value.__dict__, depth, kind.__name__ if self.tagging else None)
        self.odd("Object", '"name":' + quote(kind.__name__) + ',"text":' + quote(cut(repr(value), 1_000)), f"a {kind.__name__} has no JSON form")

    def within(self, path, value, depth):
        try:
            self.write(value, depth + 1)
        except Refusal as refusal:
            refusal.path = path + refusal.path
            raise

    def write_list(self, value, depth):
        self.put("[")
        for index, each in enumerate(value):
            if index > 0:
                self.put(",")
            self.within(f"[{index}]", each, depth)
        self.put("]")

    def write_tagged(self, kind, field, values, depth, problem):
        if not self.tagging:
            raise Refusal("value", problem)
        self.put('{"$type":' + quote(kind) + ',"' + field + '":')
        self.within("", values, depth)
        self.put("}")

    def write_dict(self, value, depth, class_name):
        items = list(dict.items(value))
        if not all(type(key) in (str, int, float, bool) or key is None or isinstance(key, str) for key, _ in items):
            return self.write_tagged("Map", "entries", [list(item) for item in items], depth, "a key of the dict has no JSON form; use text")
        if any(not isinstance(key, str) for key, _ in items) and self.tagging:
            return self.write_tagged("Map", "entries", [list(item) for item in items], depth, "")
        self.put("{" + ('"$class":' + quote(class_name) if class_name else ""))
        first = not class_name
        for key, each in items:
            name = key if isinstance(key, str) else json.dumps(key)
            if name == "__proto__":
                continue
            self.put(("" if first else ",") + quote(str.__str__(name)) + ":")
            self.within(f".{name}" if name.isidentifier() else "[" + quote(name) + "]", each, depth)
            first = False
        self.put("}")


PLAIN_DICTS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
LISTS = (list, tuple, range, collections.deque, type({}.keys()), type({}.values()), type({}.items()))
SETS = (set, frozenset)
DATES = (datetime.date, datetime.time)
FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
ITERATORS = (types.GeneratorType, types.AsyncGeneratorType, map, filter, zip, enumerate, reversed, type(iter([])), type(iter({})))


def sorted_if_possible(values):
    """Sets have no order of their own; the same set is to be the same text."""
    try:
        return sorted(values)
    except Exception:
        return list(values)


def name_of(value):
    return str(getattr(value, "__name__", "anonymous"))


def is_awaitable(value):
    return isinstance(value, (types.CoroutineType, Future))


def message_of(error):
    try:
        if isinstance(error, KeyError) and len(error.args) == 1:
            return "there is no key " + repr(error.args[0])
        text = str(error)
        cause = error.__cause__
        if isinstance(cause, BaseException):
            text += f" (cause: {type(cause).__name__}: {cause})"
        if isinstance(error, BaseExceptionGroup):
            text += " (" + "; ".join(f"{type(each).__name__}: {each}" for each in error.exceptions[:5]) + ")"
        return text + hint_for(text)
    except BaseException:
        return "an error that cannot be read"


def hint_for(text):
    found = NO_MODULE.match(text)
    if found:
        return f". There is Python's standard library here, and nothing else: no packages, no network, no JavaScript. Use the tools."
    found = NO_NAME.match(text)
    if found and found[1] in ("true", "false", "null"):
        return ". In Python it is " + {"true": "True", "false": "False", "null": "None"}[found[1]] + "."
    return ""


NO_MODULE = re.compile(r"No module named|import of \S+ halted")
NO_NAME = re.compile(r"name '(\w+)' is not defined")
`;
