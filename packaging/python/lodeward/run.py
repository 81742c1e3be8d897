"""Runs the program, and raises its errors."""

import os
import subprocess
import sys
import tempfile
import threading


class LodewardError(Exception):
    """The program has failed. The text is that of the program, `code` its exit code."""

    def __init__(self, message, code, hint=None):
        super().__init__(message)
        self.code = code
        self.hint = hint


def binary_path():
    """The path of the bundled program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "lodeward")


def to_flags(options):
    """Flags of the command line: `max_depth=3` becomes `--max-depth 3`."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            flags.append(flag)
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            for one in values:
                flags += [flag, os.fspath(one) if hasattr(one, "__fspath__") else str(one)]
    return flags


class run_lines:
    """The lines of standard output of the program, while it writes them.

    `content` is passed to standard input. `errors` is called with each line of standard error.
    """

    def __init__(self, arguments, content=None, errors=None):
        self._messages = []
        self._errors = errors
        stdin = subprocess.DEVNULL
        if content is not None:
            # A file, because a large document would block the pipe.
            stdin = tempfile.TemporaryFile()
            stdin.write(content)
            stdin.seek(0)
        command = [binary_path(), *arguments]
        self._process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if content is not None:
            stdin.close()
        # Standard error is read beside standard output, so that neither pipe fills up.
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def _read_errors(self):
        for line in self._process.stderr:
            text = line.decode("utf-8", "replace").rstrip("\n")
            # The text of an error is at the end; the lines before it are progress.
            self._messages = (self._messages + [text])[-1000:]
            if self._errors is not None:
                self._errors(text)
        self._process.stderr.close()

    def __iter__(self):
        return self

    def __next__(self):
        line = b"" if self._process.stdout.closed else self._process.stdout.readline()
        if line:
            return line.decode("utf-8").rstrip("\r\n")
        self._finish()
        raise StopIteration

    def drain(self):
        """Waits for the end of the program."""
        for line in self:
            print(line, file=sys.stderr)

    def close(self):
        """Stops the program, if it still runs."""
        if self._process.poll() is None:
            self._process.terminate()
        self._process.stdout.close()
        self._process.wait()
        self._reader.join()

    def _finish(self):
        code = self._process.wait()
        self._process.stdout.close()
        self._reader.join()
        if code != 0:
            raise to_error(self._messages, code)

    def __del__(self):
        if getattr(self, "_process", None) is not None and self._process.returncode is None:
            self.close()


def to_error(lines, code):
    """The error that the program has printed: `error: what failed`, and `hint: what helps`."""
    start = next((number for number, line in enumerate(lines) if line.startswith("error: ")), None)
    if start is None:
        return LodewardError("\n".join(lines) or f"lodeward ended with exit code {code}", code)
    hints = [line[len("hint: "):] for line in lines[start:] if line.startswith("hint: ")]
    text = [line for line in lines[start:] if not line.startswith("hint: ")]
    message = "\n".join([text[0][len("error: "):], *text[1:]])
    return LodewardError(message, code, "\n".join(hints) or None)
