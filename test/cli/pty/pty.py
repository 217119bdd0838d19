"""Runs a program in a pseudo-terminal of its own.

usage: pty.py COLUMNS ROWS PROGRAM [WORD...]
Standard input, one JSON object a line: {"send": base64} {"resize": [columns, rows]} {"signal": name} {"close": true}
Standard output, one JSON object a line: {"data": base64} and at the end {"exit": code or null, "signal": number or null}
"""
import base64
import fcntl
import json
import os
import select
import signal
import struct
import sys
import termios

# This file has the name of the module that it needs.
sys.path.pop(0)
import pty


def resize(terminal, columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    words = sys.argv[3:]
    go_read, go_write = os.pipe()
    child, terminal = pty.fork()
    if child == 0:
        # The size must be set before the program looks.
        os.close(go_write)
        os.read(go_read, 1)
        os.close(go_read)
        try:
            os.execvp(words[0], words)
        finally:
            os._exit(127)
    resize(terminal, columns, rows)
    os.close(go_read)
    os.write(go_write, b"!")
    os.close(go_write)

    commands = sys.stdin.fileno()
    typed = b""
    sources = [terminal, commands]
    while terminal in sources:
        ready, _, _ = select.select(sources, [], [])
        if terminal in ready:
            try:
                data = os.read(terminal, 65536)
            except OSError:
                data = b""
            if data == b"":
                sources.remove(terminal)
            else:
                say({"data": base64.b64encode(data).decode()})
        if commands in ready:
            data = os.read(commands, 65536)
            if data == b"":
                sources.remove(commands)
                os.kill(child, signal.SIGKILL)
            typed += data
            while b"\n" in typed:
                line, typed = typed.split(b"\n", 1)
                obey(json.loads(line), terminal, child)
    _, status = os.waitpid(child, 0)
    ended = os.WIFEXITED(status)
    say({"exit": os.WEXITSTATUS(status) if ended else None, "signal": None if ended else os.WTERMSIG(status)})


def obey(command, terminal, child):
    if "send" in command:
        data = base64.b64decode(command["send"])
        while data:
            data = data[os.write(terminal, data):]
    if "resize" in command:
        resize(terminal, *command["resize"])
    if "signal" in command:
        os.kill(child, getattr(signal, "SIG" + command["signal"]))
    if "close" in command:
        os.close(terminal)
        os._exit(0)


main()
