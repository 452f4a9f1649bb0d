import type { ContractCase } from "./executor-contract.js";

const value = (result: unknown, source = "expression") => ({ status: "completed", result, source });
const failed = (error: object) => ({ status: "failed", error });
const tagged = (type: string, fields: object = {}) => ({ $type: type, ...fields });
const logs = (...entries: readonly (readonly [string, string])[]) => ({ logs: entries.map(([level, text]) => ({ level, text })) });

const ends: readonly ContractCase[] = [
  { name: "the last expression is the value", code: "a = 20\na + 1", expected: value(21) },
  { name: "a returned value comes before the last expression", code: "if True:\n    return 1\n2", expected: value(1, "return") },
  { name: "the result variable comes before the last expression", code: "__codeact_result = 1\n2", expected: value(1, "variable") },
  { name: "a returned value comes before the result variable", code: "__codeact_result = 1\nreturn 2", expected: value(2, "return") },
  { name: "code without a value has none", code: "a = 1", expected: value(undefined, "none") },
  { name: "empty code has no value", code: "", expected: value(undefined, "none") },
  { name: "falsy values are values", code: "return [0, False, '', None]", expected: value([0, false, "", null], "return") },
  { name: "a last print gives nothing", code: "print(1)", expected: value(undefined) },
  { name: "a last block gives nothing", code: "if True:\n    1", expected: value(undefined, "none") },
  {
    name: "a script with a main function runs",
    code: "def main():\n    return 1\nif __name__ == '__main__':\n    __codeact_result = main()",
    expected: value(1, "variable"),
  },
  {
    name: "asyncio.run is an await",
    code: "import asyncio\nasync def main():\n    return await add(a=1, b=2)\nasyncio.run(main())",
    expected: value(3),
  },
  { name: "a coroutine that is the last expression is awaited", code: "add(a=1, b=2)", expected: value(3) },
  { name: "await stands in comprehensions", code: "[await add(a=a, b=1) for a in range(2)]", expected: value([1, 2]) },
  {
    name: "async for and async with stand at the top level",
    code: "async def numbers():\n    yield 1\nasync for n in numbers():\n    pass\nn",
    expected: value(1),
  },
  { name: "a star import works", code: "from math import *\nfloor(2.5)", expected: value(2) },
  { name: "calls may be tasks", code: "import asyncio\ntask = asyncio.create_task(add(a=1, b=2))\nawait task", expected: value(3) },
  {
    name: "a task group works",
    code: "import asyncio\nasync with asyncio.TaskGroup() as group:\n    a = group.create_task(add(a=1, b=2))\na.result()",
    expected: value(3),
  },
  {
    name: "a wait may have its time",
    code: "import asyncio\ntry:\n    await asyncio.wait_for(never(), 0.01)\nexcept TimeoutError:\n    __codeact_result = 'late'",
    expected: value("late", "variable"),
  },
  {
    name: "coroutines in the value are awaited, and it is said",
    code: "[add(a=a, b=1) for a in (1, 2)]",
    expected: {
      ...value([2, 3]),
      notices: [
        "A coroutine in the value (value[0]) was not awaited in the code; it was awaited for you. Write await, or await asyncio.gather(…).",
      ],
    },
  },
  {
    name: "a coroutine in the value that fails is an error",
    code: "{'a': fail()}",
    expected: failed({ name: "RangeError", message: "it is broken" }),
  },
  {
    name: "a call that nobody waits for is waited for, and it is said",
    code: "later()\nfail()\n1",
    expected: {
      ...value(1),
      notices: [
        "The code ended before these calls had: later, fail. They were waited for, and their results are lost. fail failed: it is broken. Write await before calls.",
      ],
    },
  },
  {
    name: "a function that was not called is named",
    code: "async def main():\n    pass\nmain",
    expected: { ...value(tagged("Function", { name: "main" })), notices: ["The value is the function main itself, which was not called."] },
  },
];

const kinds: readonly ContractCase[] = [
  { name: "a set is told from a list", code: "{'b', 'a'}", expected: value(tagged("Set", { values: ["a", "b"] })) },
  {
    name: "a dict whose keys are no text is told from an object",
    code: "{1: 'a'}",
    expected: value(tagged("Map", { entries: [[1, "a"]] })),
  },
  {
    name: "numbers without a JSON form are told from null",
    code: "[float('nan'), float('-inf'), 2**60, 1.5, 2.0]",
    expected: value([
      tagged("Number", { value: "NaN" }),
      tagged("Number", { value: "-Infinity" }),
      tagged("BigInt", { value: String(2n ** 60n) }),
      1.5,
      2,
    ]),
  },
  { name: "dates are their ISO text", code: "import datetime\ndatetime.date(2020, 1, 2)", expected: value("2020-01-02") },
  {
    name: "an exception is its name and message",
    code: "[TypeError('x')]",
    expected: value([tagged("Error", { name: "TypeError", message: "x" })]),
  },
  { name: "bytes are told from text", code: "b'ab'", expected: value(tagged("Bytes", { length: 2, base64: "YWI=" })) },
  {
    name: "tuples, ranges and deques are lists",
    code: "from collections import deque\n[(1, 2), range(2), deque([3])]",
    expected: value([[1, 2], [0, 1], [3]]),
  },
  {
    name: "an iterator is not run",
    code: "import itertools\n[(x for x in [1])]",
    expected: value([tagged("Iterator", { name: "generator" })]),
  },
  {
    name: "objects of classes say so",
    code: "from dataclasses import dataclass\nfrom collections import namedtuple\n@dataclass\nclass P:\n    x: int\nclass Q:\n    def __init__(self):\n        self.y = 2\n[P(1), Q(), namedtuple('R', 'z')(3)]",
    expected: value([
      { $class: "P", x: 1 },
      { $class: "Q", y: 2 },
      { $class: "R", z: 3 },
    ]),
  },
  { name: "an enum is its value", code: "import enum\nclass E(enum.Enum):\n    A = 'a'\n[E.A]", expected: value(["a"]) },
  { name: "a cycle ends", code: "a = {'b': 1}\na['a'] = a\na", expected: value({ b: 1, a: tagged("Circular") }) },
  { name: "the same object twice is no cycle", code: "a = {}\n[a, a]", expected: value([{}, {}]) },
  {
    name: "what raises when it is read says so",
    code: "class P:\n    __slots__ = ()\n    def __repr__(self):\n        raise ValueError()\n[P()]",
    expected: value([tagged("Unreadable")]),
  },
  { name: "text keeps every character", code: "'\\ud800 \\u2028 \\\\ \" 😀'", expected: value('\ud800 \u2028 \\ " 😀') },
];

const errors: readonly ContractCase[] = [
  {
    name: "an error has its place in the code",
    code: "a = 1\nb = None.x",
    expected: failed({ code: "guest-error", name: "AttributeError", line: 2, column: 5 }),
  },
  {
    name: "a traceback holds the lines of the code alone",
    code: "def f(n):\n    return 1 / n\n\nasync def g():\n    await add(a=1, b=1)\n    f(0)\nawait g()",
    expected: failed({
      name: "ZeroDivisionError",
      message: "division by zero\n  line 7: await g()\n  line 6, in g: f(0)\n  line 2, in f: return 1 / n",
      line: 2,
    }),
  },
  {
    name: "an error of a tool has its place",
    code: "x = 1\nawait fail()",
    expected: failed({ name: "RangeError", message: "it is broken", line: 2 }),
  },
  {
    name: "errors of tools are caught by one class",
    code: "try:\n    await refuse()\nexcept ToolError as error:\n    __codeact_result = str(error)",
    expected: value("not allowed", "variable"),
  },
  { name: "a missing key is named", code: "{}['a']", expected: failed({ name: "KeyError", message: "there is no key 'a'" }) },
  { name: "causes are told", code: "raise ValueError('a') from TypeError('b')", expected: failed({ message: "a (cause: TypeError: b)" }) },
  {
    name: "an exception that cannot be read does no harm",
    code: "class E(Exception):\n    def __str__(self):\n        raise ValueError()\nraise E()",
    expected: failed({ name: "E", message: "an error that cannot be read" }),
  },
  { name: "exit ends nothing", code: "import sys\nsys.exit(1)", expected: failed({ name: "SystemExit" }) },
  {
    name: "syntax errors have their place",
    code: "a = 1\nb = = 2",
    expected: failed({ code: "syntax", name: "SyntaxError", line: 2, column: 5 }),
  },
  { name: "a bad indent has its place", code: "if True:\nx = 1", expected: failed({ code: "syntax", name: "IndentationError", line: 2 }) },
  {
    name: "await in a plain function is explained",
    code: "def f():\n    await g()",
    expected: failed({ code: "syntax", message: "'await' outside async function", line: 2 }),
  },
  { name: "deep nesting cannot be read", code: `${"(".repeat(5_000)}${")".repeat(5_000)}`, expected: failed({ code: "syntax" }) },
  {
    name: "a package that is not there is explained",
    code: "import numpy",
    expected: failed({
      name: "ModuleNotFoundError",
      message:
        "No module named 'numpy'. There is Python's standard library here, and nothing else: no packages, no network, no JavaScript. Use the tools.",
    }),
  },
  { name: "there is nobody to ask", code: "input('?')", expected: failed({ name: "RuntimeError" }) },
  {
    name: "a name of a tool cannot be taken",
    code: "for add in []:\n    pass",
    expected: failed({ code: "syntax", message: "add is the name of a tool or of the tools; choose another name for yours." }),
  },
  { name: "an unknown language is refused", code: "1", options: { language: "cobol" }, expected: failed({ code: "unsupported-language" }) },
  { name: "recursion without an end is an error", code: "def f():\n    return f()\nf()", expected: failed({ name: "RecursionError" }) },
];

const output: readonly ContractCase[] = [
  {
    name: "standard error is told from standard output",
    code: "import sys\nprint('a', 1, sep='-')\nprint('b', file=sys.stderr)\nsys.stdout.write('c')",
    expected: { ...logs(["log", "a-1"], ["error", "b"], ["log", "c"]), stdout: "a-1\n[error] b\nc" },
  },
  { name: "what one print writes is one entry", code: "print('a\\nb')\nprint()", expected: logs(["log", "a\nb"], ["log", ""]) },
  {
    name: "logs come with an error",
    code: "print('a')\nraise ValueError('b')",
    expected: { ...failed({ message: "b" }), ...logs(["log", "a"]) },
  },
];

const contained: readonly ContractCase[] = [
  ...["js", "pyodide_js", "pyodide", "pyodide.code", "pyodide.ffi", "_pyodide_core", "ctypes", "micropip"].map((name) => ({
    name: `${name} cannot be imported`,
    code: `import ${name}`,
    expected: failed({ name: "ModuleNotFoundError" }),
  })),
  {
    name: "memory beyond the limit is refused",
    code: "a = []\nwhile True:\n    try:\n        a.append(bytearray(1_000_000))\n    except MemoryError:\n        pass",
    options: { limits: { memoryMiB: 16 } },
    expected: failed({ code: "memory" }),
  },
];

/** What code in Python gives back, what it raises and what it writes. */
export const pythonCases: readonly ContractCase[] = [...ends, ...kinds, ...errors, ...output, ...contained];
