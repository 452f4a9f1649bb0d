/** Python: one piece of code after the other, the tools that it calls, and the one function by which the host enters. */
export const PYTHON_RUN = String.raw`
class ToolError(Exception):
    """What a tool answered instead of a value."""


class TooManyCallsError(BaseException):
    """Not for the code to catch."""


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
