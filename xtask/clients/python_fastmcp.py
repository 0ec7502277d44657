"""The FastMCP client against a RegReader server: python_fastmcp.py stdio COMMAND… | http URL | sse URL."""

import asyncio
import sys

from fastmcp import Client
from fastmcp.client.transports import SSETransport, StdioTransport, StreamableHttpTransport
from fastmcp.exceptions import ToolError


def target(kind, rest):
    if kind == "stdio":
        return StdioTransport(command=rest[0], args=rest[1:], keep_alive=False)
    return SSETransport(rest[0]) if kind == "sse" else StreamableHttpTransport(rest[0])


async def main(kind, rest):
    heard = []

    async def progress(done, total, message):
        heard.append(done)

    async with Client(target(kind, rest), progress_handler=progress) as client:
        tools = await client.list_tools()
        assert len(tools) >= 18, len(tools)
        table = await client.call_tool("get_table_by_id", {"reg_id": "wengui_2024", "table_id": "表3-1"})
        assert table.structured_content["row_count"] == 56, table.structured_content["row_count"]
        # FastMCP makes a typed object of the result from its output schema.
        assert table.data is not None
        assert heard, "no progress was heard"
        try:
            await client.call_tool("get_toc", {"reg_id": "nowhere"})
            raise AssertionError("not refused")
        except ToolError as error:
            assert "规程不存在: nowhere" in str(error), error
        assert await client.list_resources()
        page = await client.read_resource("regreader://wengui_2024/page/8")
        assert "表3-1" in page[0].text
        assert await client.list_prompts()
        prompt = await client.get_prompt("answer_question", {"question": "母线失压怎么处理？"})
        assert "规程选择原则" in prompt.messages[0].content.text
        print(f"ok: fastmcp over {kind}, {len(heard)} progress reports")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
