"""A question to a LangGraph state graph, answered with RegReader's tools.

    ask.py stdio PROGRAM DATA_DIR QUESTION
    ask.py http URL QUESTION
"""

import asyncio
import os
import sys

from langchain_core.messages import HumanMessage, SystemMessage
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


def connection(arguments):
    """The way to RegReader that the command line names."""
    if arguments[0] == "http":
        return {"transport": "streamable_http", "url": arguments[1]}
    return {"transport": "stdio", "command": arguments[1], "args": ["--data-dir", arguments[2], "--quiet", "serve"]}


async def main(arguments):
    tools = await MultiServerMCPClient({"regreader": connection(arguments)}).get_tools()
    model = ChatOpenAI(
        model=os.environ.get("MODEL_NAME", "gpt-4o"),
        base_url=os.environ.get("MODEL_URL"),
        api_key=os.environ.get("MODEL_KEY", "none"),
    ).bind_tools(tools)

    async def think(state: MessagesState):
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("think", think)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "think")
    graph.add_conditional_edges("think", tools_condition)
    graph.add_edge("tools", "think")

    role = SystemMessage("你是规程助理。先用工具读到原文，再回答，并注明出处。每条陈述用 verify_citation 核对，并注明级别：verbatim 为（逐字），same_passage 为（据同一段落），unproven 删去或标为（未核实）。")
    state = await graph.compile().ainvoke({"messages": [role, HumanMessage(arguments[-1])]})
    print(state["messages"][-1].content)


asyncio.run(main(sys.argv[1:]))
