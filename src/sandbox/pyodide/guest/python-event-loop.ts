/** Python: an event loop that goes on only when the host enters. */
export const PYTHON_EVENT_LOOP = `
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
`;
