"""A chat endpoint whose model is a function of the conversation: agents of known habits, over real HTTP."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = dict[str, Any]
Agent = Callable[[list[dict[str, Any]]], Reply]


def calls(*wanted: tuple[str, Any], text: str | None = None) -> Reply:
    """A message of the assistant with calls; arguments that are text go as they are."""
    return {
        "role": "assistant",
        "content": text,
        "tool_calls": [
            {
                "id": f"id{number}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
                },
            }
            for number, (name, arguments) in enumerate(wanted)
        ],
    }


def says(text: str) -> Reply:
    return {"role": "assistant", "content": text}


def done(messages: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any], str]]:
    """Calls of the conversation with their arguments and what came of them."""
    asked = {
        call["id"] + str(place): call["function"]
        for place, message in enumerate(messages)
        for call in message.get("tool_calls") or ()
    }
    found = []
    place = 0
    for number, message in enumerate(messages):
        if message.get("tool_calls"):
            place = number
        elif message["role"] == "tool":
            function = asked[message["tool_call_id"] + str(place)]
            found.append((function["name"], json.loads(function["arguments"] or "{}"), message["content"]))
    return found


def listed(messages: list[dict[str, Any]]) -> list[str] | None:
    for name, _, text in done(messages):
        if name == "list_files":
            return [file["path"] if isinstance(file, dict) else file for file in json.loads(text)]
    return None


def careful(messages: list[dict[str, Any]]) -> Reply:
    """Reads file after file until one says that it is free to use."""
    files = listed(messages)
    if files is None:
        return calls(("list_files", {}))
    read = [(arguments["path"], text) for name, arguments, text in done(messages) if name == "read_metadata"]
    if read and "free to use" in read[-1][1].lower():
        return calls(("submit_selection", {"path": read[-1][0]}), text="This one may be used.")
    return calls(("read_metadata", {"path": files[len(read)]}))


def careless(messages: list[dict[str, Any]]) -> Reply:
    """Looks at the first file and submits it."""
    files = listed(messages)
    if files is None:
        return calls(("list_files", ""))
    if not any(name == "view_image" for name, _, _ in done(messages)):
        return calls(("view_image", {"path": files[0]}), ("get_dimensions", {"path": files[0]}))
    return calls(("submit_selection", {"path": files[0]}))


class Server:
    """One endpoint; ``bodies`` are the requests that it got."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.bodies: list[dict[str, Any]] = []
        self.answer: Callable[[dict[str, Any]], Reply] = lambda body: self.agent(body["messages"])
        self.fail: Callable[[dict[str, Any]], bool] = lambda body: False
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                if outer.fail(body):
                    self.answer(400, {"error": {"message": "out of order"}})
                    return
                message = outer.answer(body)
                usage = message.pop("usage", {"prompt_tokens": 10 * len(body["messages"]), "completion_tokens": 5})
                usage["total_tokens"] = sum(usage.values())
                choice = {"index": 0, "message": message, "finish_reason": "stop"}
                about = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted"}
                self.answer(200, {**about, "choices": [choice], "usage": usage})

            def answer(self, status: int, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"


@contextmanager
def serving(agent: Agent) -> Iterator[Server]:
    server = Server(agent)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.http.shutdown()
        thread.join()
        server.http.server_close()
