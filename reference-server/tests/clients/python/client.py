"""The Python SDK's client: asks the server what it speaks, and takes the newest revision."""

import asyncio
import json
import sys
from importlib.metadata import version

from mcp import Client, StdioServerParameters


def check_tools(result):
    names = [tool.name for tool in result.tools]
    assert {"read_query", "count_orders"} <= set(names), names


def check_text(result):
    assert not result.is_error and result.structured_content is None, result
    [content] = result.content
    assert content.text == "4", result


def check_structure(result):
    assert not result.is_error, result
    assert result.structured_content == {"columns": ["n"], "rows": [[8]], "truncated": False}, result
    [content] = result.content
    assert json.loads(content.text) == result.structured_content, result


def check_resource(result):
    [contents] = result.contents
    assert str(contents.uri) == "shop://schema", result
    assert contents.mime_type == "application/sql", result
    assert contents.text.startswith("CREATE TABLE customers "), result


def check_prompt(result):
    assert result.description == "A report on shipped orders", result
    [message] = result.messages
    assert message.role == "user" and "shipped orders" in message.content.text, result


async def main(server):
    async with Client(StdioServerParameters(command=server)) as client:
        check_tools(await client.list_tools())
        check_text(await client.call_tool("count_orders", {"status": "paid"}))
        check_structure(await client.call_tool("read_query", {"sql": "SELECT count(*) AS n FROM orders"}))
        check_resource(await client.read_resource("shop://schema"))
        check_prompt(await client.get_prompt("order-report", {"status": "shipped"}))
        print(f"python {version('mcp')} ({client.protocol_version})")


asyncio.run(main(sys.argv[1]))
