"""A program of the same user outside the confinement. It listens, and notes every contact.

usage: neighbour.py HOUSE CANARY NAME
Its answer to anybody is CANARY, which is also in its environment, in an open file and in shared memory.
Standard output, one line of JSON: {"port", "udp", "port6", "segment"}
"""
import ctypes
import json
import os
import selectors
import socket
import sys

house, canary, name = sys.argv[1:4]
os.chdir(house + "/elsewhere")
held = open(house + "/elsewhere/secret")
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(0x59616D61, ctypes.c_ulong(-1 & 0xFFFFFFFFFFFFFFFF), 0, 0, 0)
libc.shmat.restype = ctypes.c_void_p
key = int.from_bytes(os.urandom(3), "big") + 1
segment = libc.shmget(key, 4096, 0o1600)
memory = libc.shmat(segment, None, 0)
ctypes.memmove(memory, canary.encode(), len(canary))
libc.shmctl(segment, 0, None)

watched = selectors.DefaultSelector()


def listen(family, address, kind=socket.SOCK_STREAM):
    try:
        opened = socket.socket(family, kind)
        opened.bind(address)
    except OSError:
        return 0
    if kind == socket.SOCK_STREAM:
        opened.listen(16)
    watched.register(opened, selectors.EVENT_READ)
    return opened.getsockname()[1] if family != socket.AF_UNIX else 0


listen(socket.AF_UNIX, house + "/home/.cargo/service.sock")
listen(socket.AF_UNIX, house + "/run/service.sock")
listen(socket.AF_UNIX, house + "/home/.cargo/datagrams.sock", socket.SOCK_DGRAM)
listen(socket.AF_UNIX, "\0" + name)
said = {
    "port": listen(socket.AF_INET, ("127.0.0.1", 0)),
    "udp": listen(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
    "port6": listen(socket.AF_INET6, ("::1", 0)),
    "segment": segment,
}
print(json.dumps(said), flush=True)


def note(what):
    with open(house + "/contacts", "a") as log:
        log.write(what + "\n")


while True:
    for ready, _ in watched.select():
        opened = ready.fileobj
        if opened.type == socket.SOCK_DGRAM:
            _, sender = opened.recvfrom(100)
            note("datagram")
            if sender:
                opened.sendto(canary.encode(), sender)
            continue
        peer, _ = opened.accept()
        note("connection")
        peer.sendall(canary.encode())
        peer.close()
