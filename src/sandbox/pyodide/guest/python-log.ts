/** Python: what the code prints. */
export const PYTHON_LOG = String.raw`
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
`;
