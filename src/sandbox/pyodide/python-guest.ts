/** Name under which our own code stands in the guest's tracebacks. */
export const PYTHON_GUEST_FILE = "triact-guest.py";

/** Modules that are loaded before the memory snapshot is taken, since most code uses them. */
export const PYTHON_PRELOADED =
  "import ast, asyncio, base64, collections, copy, csv, dataclasses, datetime, decimal, dis, enum, functools, inspect, itertools, json, linecache, math, operator, random, re, statistics, string, time, traceback, types, typing, uuid";

/**
 * The program that sets up Python for a guest. It defines `start_guest(send)`, which returns the one function by which the host enters:
 * `enter("run", 0, json, True, 0)`, and `enter("settle", call_id, json, ok, elapsed)`.
 *
 * It has an event loop of its own, which does nothing unless the host enters: so the order in which code goes on depends on the host's answers alone, and an
 * execution can be done again from its journal. It uses built-in functions from a copy of `builtins`, so that code which replaces them breaks itself alone.
 */
export const PYTHON_GUEST_PROGRAM = String.raw`
import _asyncio, _json, ast, asyncio, base64, builtins, collections, dataclasses, datetime, decimal, dis, enum, inspect, io, json, linecache, os, random, re, sys, time, traceback, types, uuid, warnings
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

FILE = re.compile(r"code-(\d+)\.py").fullmatch
LAST = "__codeact_last"
RESULT = "__codeact_result"
STEP = "__codeact_step"
MAX_MESSAGE_CHARS = 4_000
MAX_FRAMES = 8
MAX_SAFE_INTEGER = 2**53 - 1
REFUSED_MODULES = ("js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core", "pyodide_http", "ctypes", "_ctypes")

quote_ascii = _json.encode_basestring_ascii
quote_text = _json.encode_basestring
scan = _json.make_scanner(json.JSONDecoder())
surrogates = re.compile("[\ud800-\udfff]").search
monotonic = time.monotonic
set_running_loop = _asyncio._set_running_loop
Task, Future, Handle, TimerHandle = asyncio.Task, asyncio.Future, asyncio.Handle, asyncio.TimerHandle
extract_tb = traceback.extract_tb


def quote(text):
    return quote_ascii(text) if surrogates(text) else quote_text(text)


def units(text):
    """Length as the host counts it: in UTF-16 code units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def head(text, room):
    if text.isascii():
        return text[:room]
    data = text.encode("utf-16-le", "surrogatepass")[: room * 2]
    if len(data) > 1 and 0xD8 <= data[-1] <= 0xDB and units(text) > room:
        data = data[:-2]
    return data.decode("utf-16-le", "surrogatepass")


def cut(text, room):
    size = units(text)
    if size <= room:
        return text
    kept = head(text, room)
    return f"{kept}… [{size - units(kept)} more characters]"


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


class ToolError(Exception):
    """What a tool answered instead of a value."""


class TooManyCallsError(BaseException):
    """Not for the code to catch."""


class EventLoop(asyncio.AbstractEventLoop):
    """Goes on only when the host enters, and has no clock but the host's."""

    def __init__(self, guest):
        self.guest = guest
        self.ready = collections.deque()

    def pump(self):
        set_running_loop(self)
        try:
            while self.ready:
                handle = self.ready.popleft()
                if not handle._cancelled:
                    try:
                        handle._run()
                    except BaseException:
                        pass  # SystemExit leaves its task, which has it too
        finally:
            set_running_loop(None)

    def time(self):
        return monotonic()

    def call_soon(self, callback, *args, context=None):
        handle = Handle(callback, args, self, context)
        self.ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(self, delay, callback, *args, context=None):
        handle = TimerHandle(monotonic() + delay, callback, args, self, context)
        if delay <= 0:
            self.ready.append(handle)
        else:
            self.guest.set_timer(handle, delay * 1_000)
        return handle

    def call_at(self, when, callback, *args, context=None):
        return self.call_later(when - monotonic(), callback, *args, context=context)

    def _timer_handle_cancelled(self, handle):
        pass

    def create_future(self):
        return Future(loop=self)

    def create_task(self, coroutine, **options):
        return Task(coroutine, loop=self, **options)

    def run_in_executor(self, executor, function, *args):
        future = Future(loop=self)
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def run_until_complete(self, future):
        if inspect.iscoroutine(future):
            future.close()
        raise RuntimeError("An event loop runs already: write await at the top level.")

    def run_forever(self):
        raise RuntimeError("An event loop runs already: write await at the top level.")

    def get_debug(self):
        return False

    def set_debug(self, enabled):
        pass

    def is_running(self):
        return True

    def is_closed(self):
        return False

    def get_task_factory(self):
        return None

    def get_exception_handler(self):
        return None

    def call_exception_handler(self, context):
        pass

    def default_exception_handler(self, context):
        pass

    async def shutdown_asyncgens(self):
        pass

    async def shutdown_default_executor(self, timeout=None):
        pass


class LogStream(io.TextIOBase):
    """Standard output or standard error. What one print() writes is one entry."""

    def __init__(self, log, level):
        self._log = log
        self._level = level
        self._text = ""

    encoding = "utf-8"
    errors = "surrogatepass"

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError("write() takes text")
        self._text += text
        if self._text.endswith("\n"):
            self._log.add(self._level, self._text[:-1])
            self._text = ""
        return len(text)

    def flush(self):
        pass

    def end(self):
        if self._text != "":
            self._log.add(self._level, self._text)
        self._text = ""


class Log:
    def __init__(self, send):
        self.send = send

    def start(self, limits):
        self.left = limits["maxLogChars"]
        self.max_entry = limits["maxLogEntryChars"]
        self.omitted = 0
        self.told = False

    def add(self, level, text):
        if self.left <= 0:
            self.omitted += units(text)
            if not self.told:
                self.send("logged", 0, "omitted", "")
            self.told = True
            return
        size = units(text)
        room = min(self.left, self.max_entry)
        kept = head(text, room) if size > room else text
        gone = size - units(kept)
        self.left -= units(kept) + 1
        text = f"{kept}… [{gone} more characters]" if gone > 0 else kept
        self.send("logged", 0, level, text.encode("utf-8", "replace").decode() if surrogates(text) else text)


class Tools:
    """The tools, by attribute and by key: some names are no names in Python."""

    __slots__ = ("_by_name",)

    def __init__(self, by_name):
        object.__setattr__(self, "_by_name", types.MappingProxyType(by_name))

    def __getattr__(self, name):
        try:
            return object.__getattribute__(self, "_by_name")[name]
        except KeyError:
            raise AttributeError(f"There is no tool {name}.") from None

    def __getitem__(self, name):
        return object.__getattribute__(self, "_by_name")[name]

    def __iter__(self):
        return iter(object.__getattribute__(self, "_by_name"))

    def __setattr__(self, name, value):
        raise TypeError("tools cannot be replaced.")

    def __delattr__(self, name):
        raise TypeError("tools cannot be replaced.")


class Rewriter(ast.NodeTransformer):
    """Looks at the top level alone: into blocks, and not into functions and classes."""

    def __init__(self, replaces_returns):
        self.replaces_returns = replaces_returns
        self.has_return = False

    def leave(self, node):
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = leave

    def visit_Return(self, node):
        self.has_return = True
        if not self.replaces_returns:
            return self.generic_visit(node)
        value = node.value or ast.Constant(None)
        return self.visit(ast.copy_location(ast.Expr(value), node))

    def visit_AnnAssign(self, node):
        """In a function, a global name cannot have an annotation."""
        if self.replaces_returns or not isinstance(node.target, ast.Name):
            return self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_Call(self, node):
        """asyncio.run(main()) is what scripts end with; here a loop runs already."""
        self.generic_visit(node)
        function = node.func
        is_run = isinstance(function, ast.Attribute) and function.attr == "run" and isinstance(function.value, ast.Name) and function.value.id == "asyncio"
        return ast.copy_location(ast.Await(node.args[0]), node) if is_run and node.args else node


def stored_names(code):
    """Names that code binds at its top level."""
    return {each.argval for each in dis.get_instructions(code) if each.opname in ("STORE_NAME", "DELETE_NAME", "STORE_GLOBAL")}


def compile_tree(tree, file):
    return compile(ast.fix_missing_locations(tree), file, "exec", flags=PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)


def prepare(text, file):
    """Code that runs as a module, or as a function if it returns, and the names that it binds."""
    parse = lambda: compile(text, file, "exec", flags=PyCF_ONLY_AST | PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    tree = parse()
    rewriter = Rewriter(True)
    module = rewriter.visit(tree)
    keep_last(module.body)
    code = compile_tree(module, file)
    names = stored_names(code) - {LAST}
    if not rewriter.has_return:
        return code, names, False
    body = Rewriter(False).visit(parse()).body
    keep_last(body)
    arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.AsyncFunctionDef(STEP, arguments, [ast.Global(sorted(names | {LAST})), *body], [], type_params=[])
    return compile_tree(ast.Module([function], []), file), names, True


def keep_last(body):
    if body and isinstance(body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Assign([ast.Name(LAST, ast.Store())], body[-1].value), body[-1])


class Guest:
    def __init__(self, send):
        self.send = send
        self.loop = EventLoop(self)
        self.log = Log(send)
        self.stdout = LogStream(self.log, "log")
        self.stderr = LogStream(self.log, "error")
        self.names = {}
        self.open = {}
        self.timers = {}
        self.made = 0
        self.calls = 0
        self.step = 0
        self.sources = {}
        self.ended = True
        self.failures = ""
        self.drained = None
        self.limits = None

    def enter(self, command, number, text, ok, elapsed):
        if command == "run":
            self.run(self.parse(text))
        else:
            self.settle(number, text, ok)
        self.loop.pump()

    def parse(self, text):
        return drop_prototypes(scan(text, 0)[0])

    # Running code

    def run(self, step):
        self.limits = step["limits"]
        self.log.start(self.limits)
        self.start_chance(step["seed"])
        sys.stdout, sys.stderr = self.stdout, self.stderr
        self.made = self.calls = 0
        self.open, self.timers, self.failures, self.drained = {}, {}, "", None
        self.step += 1
        self.file = f"code-{self.step}.py"
        self.step_names = step["toolNames"]
        self.set_recursion()
        try:
            code, names, is_function = prepare(step["code"], self.file)
        except BaseException as error:
            self.ended = True
            return self.fail_reading(error)
        taken = next((name for name in sorted(names) if name in ("tools", "call_tool") or name in self.step_names), None)
        if taken is not None:
            return self.failed("syntax", "SyntaxError", f"{taken} is the name of a tool or of the tools; choose another name for yours.")
        self.keep_source(step["code"])
        self.ended = False
        self.install(self.step_names)
        self.names.pop(RESULT, None)
        self.names.pop(LAST, None)
        main = Task(self.main(code, is_function), loop=self.loop)
        main.add_done_callback(self.on_done)

    def set_recursion(self):
        sys.setrecursionlimit(600)

    def keep_source(self, text):
        linecache.cache[self.file] = (len(text), None, text.splitlines(True), self.file)

    async def main(self, code, is_function):
        returned = eval(code, self.names)
        if is_function:
            returned = await self.names.pop(STEP)()
        elif returned is not None:
            await returned
            returned = None
        source, value = "none", None
        if returned is not None:
            source, value = "return", returned
        elif self.names.get(RESULT) is not None:
            source, value = "variable", self.names[RESULT]
        elif LAST in self.names:
            source, value = "expression", self.names[LAST]
        settled, first = {}, None
        await self.await_all(value, "value", settled, 0)
        for path in (each[2] for each in settled.values()):
            first = first or path
        return source, value, settled, first

    async def await_all(self, value, path, settled, depth):
        """Awaits what nobody has awaited in lists, tuples and dicts."""
        if depth > self.limits["maxNesting"] or id(value) in settled:
            return
        if is_awaitable(value):
            settled[id(value)] = (value, None, path)
            result = await value
            settled[id(value)] = (value, result, path)
            await self.await_all(result, path, settled, depth + 1)
        elif type(value) in (list, tuple):
            for index, each in enumerate(value):
                if is_awaitable(each) or type(each) in (list, tuple, dict):
                    await self.await_all(each, f"{path}[{index}]", settled, depth + 1)
        elif type(value) is dict:
            for key, each in list(value.items()):
                if is_awaitable(each) or type(each) in (list, tuple, dict):
                    await self.await_all(each, f"{path}[{key!r}]", settled, depth + 1)

    def on_done(self, main):
        self.names.pop(LAST, None)
        self.stdout.end()
        self.stderr.end()
        error = asyncio.CancelledError("the code cancelled itself") if main.cancelled() else main.exception()
        if error is not None:
            return self.fail(error)
        source, value, settled, first = main.result()
        limits = {"maxChars": self.limits["maxResultChars"], "maxNesting": self.limits["maxNesting"]}
        top = settled[id(value)][1] if id(value) in settled else value
        try:
            text = "" if top is None and (source != "return") else Serializer(limits, True, settled).text(top)
        except Refusal as refusal:
            where = f" at value{refusal.path}" if refusal.path else ""
            return self.failed("result-too-large", "Error", f"The result cannot be returned: {refusal.problem}{where}. Return less, for example a count, the first items or a summary.")
        except RecursionError:
            return self.failed("result-too-large", "Error", "The result cannot be returned: it is nested too deeply. Return less.")
        notices = []
        if first not in (None, "value"):
            notices.append(f"A coroutine in the value ({first}) was not awaited in the code; it was awaited for you. Write await, or await asyncio.gather(…).")
        if isinstance(top, FUNCTIONS):
            notices.append(f"The value is the function {name_of(top)} itself, which was not called.")
        self.end("completed", text, {"source": source}, notices)

    def end(self, kind, text, fields, notices):
        """Waits for the calls that are still open."""
        self.ended = True
        self.timers.clear()
        for number, (_, future) in list(self.open.items()):
            if future.cancelled():
                del self.open[number]  # the code gave it up
        names = ", ".join(entry[0] for entry in self.open.values())

        def say():
            if names != "":
                notices.insert(0, f"The code ended before these calls had: {names}. They were waited for, and their results are lost.{self.failures} Write await before calls.")
            members = ['"notices":[' + ",".join(quote(each) for each in notices) + "]"]
            members += [quote(key) + ":" + (str(value) if type(value) is int else quote(value)) for key, value in fields.items()]
            self.send(kind, self.log.omitted, text, "{" + ",".join(members) + "}")

        self.drained = say
        if not self.open:
            say()

    # Errors

    def failed(self, code, name, message, place=None):
        fields = {"code": code, "name": name[:200], "message": cut(message, MAX_MESSAGE_CHARS), **(place or {})}
        self.end("failed", "", fields, [])

    def fail_reading(self, error):
        if isinstance(error, SyntaxError):
            message = error.msg or "the code cannot be read"
            place = {"line": error.lineno, "column": max(error.offset or 1, 1)} if error.lineno else None
            return self.failed("syntax", type(error).__name__, message, place)
        if isinstance(error, (RecursionError, MemoryError)):
            return self.failed("syntax", "SyntaxError", "The code is nested too deeply to be read.")
        self.failed("syntax", "SyntaxError", message_of(error))

    def fail(self, error):
        kind = type(error)
        if kind is TooManyCallsError:
            return self.failed("too-many-calls", "TooManyCallsError", message_of(error))
        message = message_of(error)
        if isinstance(error, SystemExit):
            message = "exit() ends nothing here. Let the last expression be the answer, or set __codeact_result."
        frames = self.frames_of(error)
        if len(frames) > 1:
            message = cut(message, MAX_MESSAGE_CHARS // 2) + "\n" + "\n".join(self.frame_text(each) for each in frames[-MAX_FRAMES:])
        own = [each for each in frames if each.filename == self.file]
        place = {"line": own[-1].lineno, "column": (own[-1].colno or 0) + 1} if own else None
        self.failed("guest-error", kind.__name__, message, place)

    def frames_of(self, error):
        """The frames in the model's own code."""
        try:
            return [each for each in extract_tb(error.__traceback__) if FILE(each.filename)]
        except BaseException:
            return []

    def frame_text(self, frame):
        name = "" if frame.name in ("<module>", STEP) else f", in {frame.name}"
        name += "" if frame.filename == self.file else " of earlier code"
        line = f": {frame.line.strip()[:200]}" if frame.line else ""
        return f"  line {frame.lineno}{name}{line}"

    # Tools

    def install(self, names):
        by_name = {name: self.function_of(name) for name in names}
        self.names["tools"] = Tools(by_name)
        self.names["call_tool"] = self.call_tool_of(by_name)
        self.names["ToolError"] = ToolError
        for name in self.installed:
            self.names.pop(name, None)
        self.installed = [name for name in names if name.isidentifier() and not hasattr(builtins, name)]
        for name in self.installed:
            self.names[name] = by_name[name]

    installed = []

    def function_of(self, name):
        def tool(*values, **fields):
            return self.call(name, values, fields)

        tool.__name__ = tool.__qualname__ = name
        return inspect.markcoroutinefunction(tool)

    def call_tool_of(self, by_name):
        def call_tool(name, *values, **fields):
            if not isinstance(name, str) or name not in by_name:
                shown = quote(name) if isinstance(name, str) else f"of type {type(name).__name__}; give its name first"
                listed = ", ".join(list(by_name)[:20]) + (f" and {len(by_name) - 20} more" if len(by_name) > 20 else "")
                raise TypeError(f"There is no tool {shown}. The tools are: {listed}.")
            return self.call(name, values, fields)

        return inspect.markcoroutinefunction(call_tool)

    def call(self, name, values, fields):
        """Makes the call at once; what is awaited is its answer."""
        if len(values) > 1 or (values and fields):
            raise TypeError(f"{name} takes keyword arguments or one dict; it got {len(values)} values{' and keywords' if fields else ''}.")
        if self.ended:
            raise ToolError(f"{name} was called after the code had ended. Nothing was executed; write await before calls.")
        text = self.input_text(name, values[0] if values else fields)
        self.calls += 1
        if self.calls > self.limits["maxToolCalls"]:
            raise TooManyCallsError(f"{name} was not called: one step may make {self.limits['maxToolCalls']} tool calls. Do less in one step.")
        self.made += 1
        future = Future(loop=self.loop)
        self.open[self.made] = (name, future)
        self.send("called", self.made, name, text)
        return self.answer_of(name, future)

    async def answer(self, future):
        return await future

    def answer_of(self, name, future):
        coroutine = self.answer(future)
        coroutine.__name__ = name
        return coroutine

    def input_text(self, name, value):
        limits = {"maxChars": self.limits["maxInputChars"], "maxNesting": self.limits["maxNesting"]}
        try:
            return Serializer(limits, False).text(value)
        except Refusal as refusal:
            where = f" at {refusal.path}" if refusal.path else ""
            size = f" (more than {limits['maxChars']} characters)" if refusal.kind == "size" else ""
            problem = f"The argument of {name} cannot be sent{where}: {refusal.problem}{size}."
        except RecursionError:
            problem = f"The argument of {name} cannot be sent: it is nested too deeply."
        raise TypeError(problem)

    def settle(self, number, text, ok):
        handle = self.timers.pop(number, None)
        if handle is not None:
            self.loop.ready.append(handle)
            return
        entry = self.open.pop(number, None)
        if entry is None:
            return
        name, future = entry
        value = self.parse(text)
        if not ok and self.ended:
            self.failures += f" {name} failed: {value['message']}."
        if not future.done():
            if ok:
                future.set_result(value)
            else:
                future.set_exception(self.error_of(value))
                future.exception()  # it is told, if nobody asks for it, in a notice
        if not self.open and self.drained is not None:
            drained, self.drained = self.drained, None
            drained()

    def error_of(self, value):
        name = value["name"]
        if name in ("", "ToolError") or not name.isidentifier():
            return ToolError(value["message"])
        return type(name, (ToolError,), {"__module__": "__main__"})(value["message"])

    # Time and chance

    def set_timer(self, handle, milliseconds):
        if self.ended:
            return
        self.made += 1
        self.timers[self.made] = handle
        self.send("timer-set", self.made, repr(float(milliseconds)), "")

    def start_chance(self, seed):
        seed_random(seed)
        bytes_of = random.Random(seed + 1).randbytes
        os.urandom = random._urandom = lambda count: bytes_of(count)


def drop_prototypes(value):
    if type(value) is list:
        return [drop_prototypes(each) for each in value]
    if type(value) is dict:
        return {key: drop_prototypes(each) for key, each in value.items() if key != "__proto__"}
    return value


seed_random = random.seed


def no_input(prompt=""):
    raise RuntimeError("There is nobody to answer input() here. Use the tools.")


def start_guest(send):
    guest = Guest(send)
    warnings.simplefilter("ignore", RuntimeWarning)
    for name in [*sys.modules]:
        if name in REFUSED_MODULES or name.split(".")[0] in REFUSED_MODULES:
            sys.modules[name] = None
    for name in REFUSED_MODULES:
        sys.modules[name] = None
    sys.meta_path[:] = [finder for finder in sys.meta_path if "yodide" not in (getattr(finder, "__module__", "") or type(finder).__module__)]
    builtins.input = no_input
    sys.argv = [""]
    main = types.ModuleType("__main__")
    guest.names = main.__dict__
    guest.names["__builtins__"] = builtins
    guest.names["__name__"] = "__main__"
    guest.main_module = main
    sys.modules["__main__"] = main
    return guest.enter
`;
