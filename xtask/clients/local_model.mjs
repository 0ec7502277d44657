// A small local model behind the OpenAI-compatible wire format: local_model.mjs MODEL.gguf
//
// Runs llama.cpp in this process (npm `node-llama-cpp`, which must lie beside this file), listens on loopback and says where
// on its first line of output. A model of this size cannot follow a format by itself, so it writes under a grammar, as
// llama.cpp's own server does for tools: first which tool (or none), then that tool's required arguments.
import { createServer } from "node:http";
import { getLlama, LlamaCompletion } from "node-llama-cpp";

// Longer prompts are cut message by message: the model has a short context, and this proves the wire, not the wisdom.
const MAX_MESSAGE_CHARS = 400;
const CONTEXT = 4096;

const llama = await getLlama({ gpu: false, build: "never", logLevel: "error" });
const model = await llama.loadModel({ modelPath: process.argv[2] });
// One thread: several wait for each other by spinning, and where other work has the cores they spin for minutes.
const context = await model.createContext({ contextSize: CONTEXT, threads: 1 });
const completion = new LlamaCompletion({ contextSequence: context.getSequence() });

let used = { prompt_tokens: 0, completion_tokens: 0 };

async function write(prompt, maxTokens, schema) {
  const grammar = schema && (await llama.createGrammarForJsonSchema(schema));
  const input = model.tokenize(prompt, true);
  const text = await completion.generateCompletion(input, { maxTokens, grammar, temperature: 0 });
  used.prompt_tokens += input.length;
  used.completion_tokens += model.tokenize(text).length;
  return text;
}

function text(content) {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("\n");
}

function prompt(messages, tools) {
  const turns = messages.map((message) => {
    const calls = (message.tool_calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`);
    const words = [text(message.content), ...calls].filter(Boolean).join("\n").slice(0, MAX_MESSAGE_CHARS);
    const role = message.role === "tool" ? "user" : message.role;
    return `<|im_start|>${role}\n${words}<|im_end|>\n`;
  });
  const offered = tools.map((tool) => `- ${tool.function.name}: ${(tool.function.description ?? "").slice(0, 20)}`);
  const list = tools.length ? `<|im_start|>system\nTools:\n${offered.join("\n")}<|im_end|>\n` : "";
  return `${turns.slice(0, 1).join("")}${list}${turns.slice(1).slice(-6).join("")}<|im_start|>assistant\n`;
}

// The required arguments of a tool, as far as a grammar can hold them.
function argumentsOf(tool) {
  const { properties = {}, required = [] } = tool.function.parameters ?? {};
  const plain = (schema) => {
    if (schema.enum) return { enum: schema.enum };
    if (schema.type === "array") return { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 };
    return ["integer", "number", "boolean"].includes(schema.type) ? { type: schema.type } : { type: "string", maxLength: 40 };
  };
  return { type: "object", properties: Object.fromEntries(required.map((name) => [name, plain(properties[name] ?? {})])) };
}

async function answer(request) {
  used = { prompt_tokens: 0, completion_tokens: 0 };
  const tools = request.tool_choice === "none" ? [] : (request.tools ?? []);
  const start = prompt(request.messages, tools);
  let chosen = request.tool_choice?.function?.name;
  if (!chosen && tools.length) {
    const names = [...tools.map((tool) => tool.function.name), "no_tool"];
    chosen = JSON.parse(await write(`${start}{"tool": `, 24, { enum: names }));
  }
  const tool = tools.find((tool) => tool.function.name === chosen);
  if (!tool) return { role: "assistant", content: await write(start, Math.min(request.max_tokens ?? 128, 128)) };
  const schema = argumentsOf(tool);
  const empty = Object.keys(schema.properties).length === 0;
  const given = empty ? "{}" : await write(`${start}{"tool": "${chosen}", "arguments": `, 200, schema);
  const call = { id: `call_${Date.now()}`, type: "function", function: { name: chosen, arguments: given } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

const server = createServer(async (request, response) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  try {
    const asked = JSON.parse(Buffer.concat(pieces).toString());
    const message = await answer(asked);
    const usage = { ...used, total_tokens: used.prompt_tokens + used.completion_tokens };
    const finish_reason = message.tool_calls ? "tool_calls" : "stop";
    const base = { id: "local", created: 0, model: asked.model };
    process.stderr.write(`${JSON.stringify(message)}\n`);
    if (!asked.stream) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ ...base, object: "chat.completion", choices: [{ index: 0, message, finish_reason }], usage }));
      return;
    }
    const tool_calls = message.tool_calls?.map((call, index) => ({ index, ...call }));
    const chunks = [
      { choices: [{ index: 0, delta: { ...message, tool_calls }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason }], usage },
    ];
    response.setHeader("content-type", "text/event-stream");
    for (const chunk of chunks) response.write(`data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", ...chunk })}\n\n`);
    response.end("data: [DONE]\n\n");
  } catch (error) {
    response.statusCode = 500;
    response.end(JSON.stringify({ error: { message: String(error) } }));
  }
});

server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/v1`));
// Ends with whoever started it.
process.stdin.on("end", () => process.exit(0)).resume();
