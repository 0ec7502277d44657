"""A question to the Claude Agent SDK, answered with RegReader's tools.

    ask.py stdio PROGRAM DATA_DIR QUESTION
    ask.py http URL QUESTION
"""

import asyncio
import sys

from claude_agent_sdk import AssistantMessage, ClaudeAgentOptions, TextBlock, ToolUseBlock, query

TOOLS = ["list_regulations", "get_toc", "smart_search", "read_page_range", "get_table_by_id", "lookup_annotation",
         "resolve_reference", "verify_citation"]


def server(arguments):
    """The way to RegReader that the command line names."""
    if arguments[0] == "http":
        return {"type": "http", "url": arguments[1]}
    return {"type": "stdio", "command": arguments[1], "args": ["--data-dir", arguments[2], "--quiet", "serve"]}


async def main(arguments):
    options = ClaudeAgentOptions(
        system_prompt="你是规程助理。先用工具读到原文，再回答，并注明出处。每条陈述用 verify_citation 核对，并注明级别：verbatim 为（逐字），same_passage 为（据同一段落），unproven 删去或标为（未核实）。",
        mcp_servers={"regreader": server(arguments)},
        allowed_tools=[f"mcp__regreader__{tool}" for tool in TOOLS],
        # Only RegReader's tools, and no settings of this machine.
        tools=[],
        setting_sources=[],
        strict_mcp_config=True,
        max_turns=8,
    )
    async for message in query(prompt=arguments[-1], options=options):
        if isinstance(message, AssistantMessage):
            for block in message.content:
                if isinstance(block, ToolUseBlock):
                    print(f"→ {block.name} {block.input}", file=sys.stderr)
                elif isinstance(block, TextBlock):
                    print(block.text)


asyncio.run(main(sys.argv[1:]))
