"""A question to Pydantic AI, answered with RegReader's tools as a value of a type.

    ask.py stdio PROGRAM DATA_DIR QUESTION
    ask.py http URL QUESTION
"""

import asyncio
import os
import sys

from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider


def toolset(arguments):
    """RegReader's tools over the way that the command line names."""
    if arguments[0] == "http":
        return MCPToolset(StreamableHttpTransport(arguments[1]))
    return MCPToolset(StdioTransport(arguments[1], ["--data-dir", arguments[2], "--quiet", "serve"]))


async def main(arguments):
    provider = OpenAIProvider(base_url=os.environ.get("MODEL_URL"), api_key=os.environ.get("MODEL_KEY", "none"))
    agent = Agent(
        OpenAIChatModel(os.environ.get("MODEL_NAME", "gpt-4o"), provider=provider),
        system_prompt="你是规程助理。先用工具读到原文，再回答，并注明出处。每条陈述用 verify_citation 核对，并注明级别：verbatim 为（逐字），same_passage 为（据同一段落），unproven 删去或标为（未核实）。",
        toolsets=[toolset(arguments)],
    )
    async with agent:
        result = await agent.run(arguments[-1])
    print(result.output)


asyncio.run(main(sys.argv[1:]))
