#!/usr/bin/env node
// Starts the program of the platform package that npm installed beside this one.
"use strict";
const { spawnSync } = require("node:child_process");

const name = `@regreader/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "regreader.exe" : "regreader";
let program;
try {
  program = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`error: there is no RegReader for ${process.platform}-${process.arch}`);
  console.error(`hint: install with optional dependencies, or build it: https://github.com/regreader/regreader`);
  process.exit(1);
}
const result = spawnSync(program, process.argv.slice(2), { stdio: "inherit", windowsHide: true });
if (result.error) {
  console.error(`error: ${result.error.message}`);
  process.exit(1);
}
if (result.signal) process.kill(process.pid, result.signal);
process.exit(result.status ?? 1);
