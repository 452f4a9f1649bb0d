/** Python: what the guest program imports, its constants, and texts counted and cut as the host counts them. */
export const PYTHON_BASE = String.raw`
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
`;
