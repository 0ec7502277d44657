"""A FastMCP server whose tools give a fixed result: fastmcp_server.py PAYLOAD.json stdio | http PORT."""

import json
import sys
from typing import Any

from fastmcp import FastMCP

with open(sys.argv[1], encoding="utf-8") as file:
    PAYLOAD = json.load(file)

server = FastMCP("payload")


@server.tool
def get_toc(reg_id: str) -> dict[str, Any]:
    """The same result that RegReader's get_toc gives."""
    return PAYLOAD


@server.tool
def get_table_by_id(reg_id: str, table_id: str) -> dict[str, Any]:
    """The same result that RegReader's get_table_by_id gives."""
    return PAYLOAD


@server.tool
def lookup_annotation(reg_id: str, annotation_id: str, page_hint: int) -> dict[str, Any]:
    """The same result that RegReader's lookup_annotation gives."""
    return PAYLOAD


if sys.argv[2] == "stdio":
    server.run(show_banner=False)
else:
    server.run(transport="http", host="127.0.0.1", port=int(sys.argv[3]), show_banner=False, log_level="error")
