"""Parts that odd and bad peers share."""

from base import Server
from message import INVALID_PARAMS, Refusal

TEXT = {"text": {"type": "string"}}


class WithTools(Server):
    """Has the tools of `make` instead of the standard ones."""

    def __init__(self, era=None):
        super().__init__(era)
        self.tools = self.make()


class Paged(WithTools):
    """Lists `pages` of tools; `cursors` are those of the pages after the first."""

    def tools_list(self, message):
        cursor = message.params.get("cursor")
        if "cursor" in message.params and cursor not in self.cursors:
            raise Refusal(INVALID_PARAMS, "no such cursor")
        at = self.cursors.index(cursor) + 1 if "cursor" in message.params else 0
        page = {"tools": [tool.definition for tool in self.pages[at]]}
        return dict(page, nextCursor=self.cursors[at]) if at < len(self.cursors) else page


LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]


class Logging(Server):
    """Declares logging, and sends what is at the level that the client set or above."""

    capabilities = {"tools": {}, "logging": {}}
    threshold = "debug"

    def log(self, level, data):
        if LEVELS.index(level) >= LEVELS.index(self.threshold):
            self.notify("notifications/message", {"level": level, "data": data})

    def handlers(self, era):
        return dict(super().handlers(era), **{"logging/setLevel": self.set_level})

    def set_level(self, message):
        level = message.params.get("level")
        if level not in LEVELS:
            raise Refusal(INVALID_PARAMS, "no such level")
        self.threshold = level
        return {}
