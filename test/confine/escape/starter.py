"""Starts a program with a session keyring that holds a secret, as a login or a mail program leaves one.

usage: starter.py CANARY PROGRAM [WORD...]
"""
import ctypes
import os
import sys

canary = sys.argv[1].encode()
libc = ctypes.CDLL(None, use_errno=True)
add_key, keyctl = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
libc.syscall(keyctl, 1, b"escape")
libc.syscall(add_key, b"user", b"login", canary, len(canary), ctypes.c_int(-3))
os.execvp(sys.argv[2], sys.argv[2:])
