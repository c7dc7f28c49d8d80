#!/usr/bin/env python3
"""Follows a group: prints a line for each change, and keeps in a file how the group is now.

    TOKEN=fracti_pat_... GROUP=... python3 follow.py

Needs fracti.py beside it, and a token with the scope read. Environment: also API (default
http://127.0.0.1:3000), STATE (default follow.json), and PAUSE in seconds (default 30).
"""

import json
import os
import time
from urllib.parse import quote

from fracti import Fracti, NoAnswer, Refused

STATE, PAUSE = os.environ.get("STATE", "follow.json"), float(os.environ.get("PAUSE", "30"))
EXPENSE = "{of[description]}, {was}{of[amount]} {of[currency]}"
PAYMENT = "{was}{of[amount]} {of[currency]} from {of[fromUserName]} to {of[toUserName]}"
LINES = {
    **{f"expense.{it}": f"{it} {EXPENSE}" for it in ("added", "edited", "deleted", "restored")},
    **{f"schedule.{it}": f"{it} repeating {EXPENSE}" for it in ("added", "edited", "deleted", "paused")},
    **{f"settlement.{it}": f"{it} {PAYMENT}" for it in ("recorded", "edited", "completed")},
    **{f"settlement.{it}": f"{it} {PAYMENT}" for it in ("failed", "reverted")},
    **{f"member.{it}": it + " {of[name]}" for it in ("removed", "restored", "linked")},
    **{f"group.{it}": it + " the group {of[title]}" for it in ("changed", "archived")},
    **{f"adjustment.{it}": it + " adjustments" for it in ("pushed", "reverted")},
    **{"link.proposed": "said who {of[name]} is", "link.withdrawn": "withdrew who {of[name]} is"},
    **{"member.joined": "joined", "member.left": "left", "guest.added": "added {of[name]}"},
    **{"question.asked": "asked: {of[prompt]}", "question.closed": "closed: {of[prompt]}"},
    **{"question.completed": "has all answers to: {of[prompt]}"},
    **{"import.done": "imported a file", "import.undone": "undid an import"},
}


def look(api, path, state):
    """Handles a page of changes, once all that it needs is read. Returns whether there are more."""
    after = f"?after={quote(state['cursor'])}" if state else ""
    page = api.send("GET", f"{path}/changes{after}")
    new = {"cursor": page.next_cursor}
    # An import is one change, whatever guests and payments it adds. At the start, the place of now
    # is read first: what changes while the rest is read is told afterwards, which does no harm.
    if not state or any(change["kind"].startswith("import.") for change in page.data):
        new["members"] = {it["id"]: it["name"] for it in api.call("GET", path)["members"]}
        new["settlements"] = {it["id"]: it["status"] for it in api.items(f"{path}/settlements")}
    if page.data or not state:
        if not page.has_more:  # otherwise there is a later page with changes
            new["balances"] = api.call("GET", f"{path}/ledger/balance")["balances"]
        for change in page.data:
            handle(change, state)
        state.update({"number": 0, **state, **new})
        with open(STATE + ".new", "w") as file:
            json.dump(state, file)
        os.replace(STATE + ".new", STATE)
    return page.has_more


def handle(change, state):
    """Prints and applies a change, if its kind is known. To apply it once more changes nothing."""
    state["number"], kind, member = change["number"], change["kind"], change.get("member")
    if kind not in LINES:
        return
    of, before = member or change.get(kind.partition(".")[0], {}), change.get("before", {})
    was = "" if before.items() <= of.items() else "{amount} {currency} -> ".format(**before)
    print(change["number"], change["actorName"], LINES[kind].format(of=of, was=was), flush=True)
    if kind.startswith("settlement."):
        state["settlements"][of["id"]] = of["status"]
    elif kind in ("member.left", "member.removed"):
        state["members"].pop(of["id"], None)
    elif kind in ("member.joined", "member.restored", "guest.added"):
        state["members"][of["id"]] = of["name"]


if __name__ == "__main__":
    server = Fracti(os.environ.get("API", "http://127.0.0.1:3000"), f"Bearer {os.environ['TOKEN']}")
    kept = json.load(open(STATE)) if os.path.exists(STATE) else {}
    while True:
        try:
            if not look(server, f"/api/groups/{os.environ['GROUP']}", kept):
                time.sleep(PAUSE)
        except (Refused, NoAnswer) as error:
            if error.status and error.status < 429:
                raise SystemExit(str(error)) from error
            time.sleep(max(PAUSE, error.retry_after or 0))
