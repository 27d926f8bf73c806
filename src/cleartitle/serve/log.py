"""One JSON object a line on standard error: what happened, never what was asked."""

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

__all__ = ["JsonLines", "fault", "log"]

logger = logging.getLogger("cleartitle.serve")


def log(event: str, level: int = logging.INFO, /, **facts: Any) -> None:
    """Write one line."""
    logger.log(level, event, extra={"facts": facts})


def fault(error: BaseException) -> dict[str, Any]:
    """Where an error came from, without its message, which may hold the text that was sent."""
    frames = traceback.extract_tb(error.__traceback__)
    return {
        "error": type(error).__name__,
        "at": [f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames[-8:]],
    }


class JsonLines(logging.Handler):
    """Log records as JSON lines. Of foreign ones only the template is told, not what was put into it."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record; a log that cannot be written to ends nothing."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
        }
        if record.name == logger.name:
            line |= {"event": record.getMessage(), **record.__dict__["facts"]}
        else:
            line |= {"event": "server", "said": str(record.msg)[:200], "logger": record.name}
            if record.exc_info and record.exc_info[1]:
                line |= fault(record.exc_info[1])
        try:
            sys.stderr.write(json.dumps(line, ensure_ascii=True, default=str) + "\n")
            sys.stderr.flush()
        except (OSError, ValueError):
            return

    @classmethod
    def install(cls, level: int) -> None:
        """Send the log of the service, and of the web server under it, to standard error."""
        for name in ("cleartitle.serve", "uvicorn", "asyncio"):
            one = logging.getLogger(name)
            one.handlers, one.propagate = [cls()], False
            one.setLevel(level if name == logger.name else logging.WARNING)
        logging.Formatter.converter = time.gmtime
