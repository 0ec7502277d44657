"""The Python `mcp` client against a RegReader server: python_mcp.py stdio COMMAND… | http URL | sse URL."""

import asyncio
import sys

from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client


def target(kind, rest):
    if kind == "stdio":
        return stdio_client(StdioServerParameters(command=rest[0], args=rest[1:]))
    return sse_client(rest[0]) if kind == "sse" else rest[0]


async def main(kind, rest):
    heard = []

    async def progress(done, total, message):
        heard.append(done)

    async with Client(target(kind, rest)) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) >= 18, len(tools)
        assert all(tool.output_schema and tool.annotations.read_only_hint for tool in tools)
        found = await client.call_tool("smart_search", {"query": "母线失压"}, progress_callback=progress)
        assert not found.is_error
        assert found.structured_content["hits"][0]["reg_id"] == "angui_2024", found.structured_content
        assert heard, "no progress was heard"
        refused = await client.call_tool("get_toc", {"reg_id": "nowhere"})
        assert refused.is_error and "规程不存在: nowhere" in refused.content[0].text
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "regreader://{reg_id}/page/{n}"
        assert (await client.list_resources()).resources
        page = await client.read_resource("regreader://wengui_2024/page/8")
        assert "表3-1" in page.contents[0].text
        assert {prompt.name for prompt in (await client.list_prompts()).prompts} >= {"answer_question"}
        prompt = await client.get_prompt("answer_question", {"question": "母线失压怎么处理？"})
        assert "规程选择原则" in prompt.messages[0].content.text
        print(f"ok: mcp over {kind}, protocol {client.protocol_version}, {len(heard)} progress reports")


asyncio.run(main(sys.argv[1], sys.argv[2:]))
