import { PYTHON_BASE } from "./guest/python-base.js";
import { PYTHON_CODE } from "./guest/python-code.js";
import { PYTHON_EVENT_LOOP } from "./guest/python-event-loop.js";
import { PYTHON_LOG } from "./guest/python-log.js";
import { PYTHON_RUN } from "./guest/python-run.js";
import { PYTHON_SERIALIZER } from "./guest/python-serializer.js";

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
export const PYTHON_GUEST_PROGRAM = [PYTHON_BASE, PYTHON_SERIALIZER, PYTHON_EVENT_LOOP, PYTHON_LOG, PYTHON_CODE, PYTHON_RUN].join("\n");
