import type { ContractLanguage, ContractPrograms } from "./contract-programs.js";
import { pythonCases } from "./python-cases.js";

const DEEP = "a = []\nfor i in range(2000):\n    a = [a]";

const programs: ContractPrograms = {
  one: "1",
  endlessLoop: "print('a')\nwhile True:\n    pass",
  loopAfterCall: "await add(a=1, b=1)\nwhile True:\n    pass",
  loopOfAwaits: "import asyncio\nwhile True:\n    await asyncio.sleep(0)",
  waitForNothing: "import asyncio\nprint('a')\nawait asyncio.Future()",
  endlessLogs: "while True:\n    print('a')",
  waitFor: (toolName) => `await ${toolName}()`,
  fourCalls: "for i in range(4):\n    await echo(i=i)",
  messageOfEcho: "try:\n    await echo('x' * 100)\nexcept Exception as error:\n    __codeact_result = str(error)",
  nameOfEcho: "try:\n    await echo('x' * 100)\nexcept Exception as error:\n    __codeact_result = type(error).__name__",
  largeResult: "['x' * 100]",
  deepResult: `${DEEP}\na`,
  deepInput: `${DEEP}\nawait echo(a)`,
  longLog: "print('x' * 20)\n1",
  emojiLog: "print('😀😀😀')",
  manyLogs: "for i in range(1000):\n    print('0123456789')\n7",
  threeWays: "[await add(a=1, b=2), await tools.add({'a': 2, 'b': 2}), await call_tool('add', a=3, b=2)]",
  caught: (expression) => `import re, traceback
try:
    await ${expression}
except Exception as error:
    __codeact_result = [type(error).__name__, str(error), True, re.search("secret|node:|file:", traceback.format_exc()) is not None]`,
  unknownTool: "call_tool('nothing')",
  echoedTime: `import datetime
moment = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
await echo(a=[1, {"b c": moment}])`,
  refusedInputs: [
    ["echo(a=[{1, 2}])", "at .a[0]: a set has no JSON form; use sorted(…) or list(…)"],
    ["echo({'b c': float('nan')})", 'at ["b c"]: NaN has no JSON form'],
    ["echo(a=echo())", "at .a: it is a coroutine: write await before the call that made it"],
    ["echo([print])", "at [0]: a function has no JSON form; call it, or leave it out"],
  ],
  tooManyArguments: ["echo(1, 2)", "echo takes keyword arguments or one dict; it got 2 values."],
  prototypeKeys: `r = await look({"__proto__": {"bad": 1}, "constructor": {"prototype": {}}, "b": 1})
[True, list(r), True]`,
  parallelCalls: "import asyncio\nawait asyncio.gather(*(work() for _ in range(20)))",
  finishThenReach: "print('a')\ntry:\n    await finish()\nfinally:\n    await reach()",
  slowAndFinish: "import asyncio\nawait asyncio.gather(slow(), finish())",
  brokenBuiltIns: `import asyncio, builtins, json
def broken(*values):
    raise ValueError("broken")
json.dumps = json.loads = json._default_decoder = json._default_encoder = broken
asyncio.Future = asyncio.Task = asyncio.Handle = broken
builtins.isinstance = builtins.len = builtins.str = builtins.type = builtins.dict = builtins.id = broken
return await add(a=1, b=2)`,
  replacedTools: [
    "tools.add = 1",
    "tools['add'] = 1",
    "setattr(tools, 'add', 1)",
    "tools._by_name['add'] = 1",
    "object.__setattr__(tools, 'add', 1)",
    "del tools.add",
  ].map((attempt) => `try:\n    ${attempt}\nexcept Exception:\n    pass\nreturn await tools.add(a=1, b=1)`),
  sessionSteps: [
    ["import math\nx = 1\ny = [x]\ndef f():\n    return x\nclass A:\n    a = 1\np, *q = 3, 5", undefined],
    ["[x, y, f(), A().a, p, q, math.floor(1.5)]", [1, [1], 1, 1, 3, [5], 1]],
    ["x = 2\nclass A: pass\ndef f():\n    return -x\nreturn [x, f()]", [2, -2]],
    ["x: int = 3\nif x:\n    return [x, f()]", [3, -3]],
  ],
  setThenFail: "a = 1\nraise ValueError('x')",
  setA: "a = 1",
  readA: "a",
  typeOfA: "'defined' if 'a' in globals() else 'undefined'",
  leaveTraces: "a = 1\nimport builtins, json\nbuiltins.b = 1\njson.c = 1\nopen('/tmp/d', 'w').write('1')",
  findTraces: [
    "import builtins, json, os\n[x for x in ('a' in globals(), hasattr(builtins, 'b'), hasattr(json, 'c'), os.path.exists('/tmp/d'))]",
    [false, false, false, false],
  ],
  leaveWork: `import asyncio
async def fail():
    await asyncio.sleep(0)
    raise ValueError("stray")
async def set_late():
    global late
    await asyncio.sleep(0.001)
    late = 1
left = [asyncio.create_task(fail()), asyncio.create_task(set_late())]
1`,
  typeOfLate: "import asyncio\nawait asyncio.sleep(0.005)\n'defined' if 'late' in globals() else 'undefined'",
  restless: `import asyncio
async def spin():
    while True:
        await asyncio.sleep(0)
left = asyncio.create_task(spin())
1`,
  timeAndChance: `import datetime, random, time
moment = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
[moment, time.time() >= 86400, random.random(), random.random(), "number", 5]`,
  waitForClock: "import time\nt = time.time()\nwhile time.time() < t + 0.5:\n    pass\n1",
  timers: `import asyncio
loop, seen = asyncio.get_running_loop(), []
loop.call_later(0.02, seen.append, 2)
loop.call_later(0.001, seen.append, 1)
loop.call_later(0.002, seen.append, 3).cancel()
await asyncio.sleep(0.04)
seen`,
  stepsAndQuestion: `import asyncio, random, time
luck, at = random.random(), time.time()
async def twice():
    return await step(n=await step(n=2), luck=luck)
a, answer, b = await asyncio.gather(step(n=1), ask(q=luck), twice())
{"a": a, "answer": answer, "b": b, "last": await step(at=at, luck=luck)}`,
  echoes: (...inputs) => inputs.map(([name, value]) => `await echo(${name}=${value})`).join("\n"),
};

/** Python. */
export const pythonLanguage: ContractLanguage = { language: "python", cases: pythonCases, programs };
