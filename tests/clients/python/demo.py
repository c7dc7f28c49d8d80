"""The users of the demo server that `.ci/clients` starts, read from what it prints."""

import os
from dataclasses import dataclass
from uuid import UUID

API = os.environ["API"]

# A group id that does not exist.
UNKNOWN_GROUP = UUID("0190a1b2-0000-7000-8000-000000000001")


@dataclass(frozen=True)
class User:
    id: str
    init_data: str


def _user(id: str, name: str) -> User:
    return User(id, os.environ[name].removeprefix("Authorization: tma "))


ALICE = _user("123456789", "ALICE")
BOB = _user("987654321", "BOB")
