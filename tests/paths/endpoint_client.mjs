// Asks a simulated endpoint with OpenAI's client for Node and prints what it saw as JSON:
// node endpoint_client.mjs BASE_URL FOLDER_WITH_NODE_MODULES
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [baseURL, modules] = process.argv.slice(2);
const found = createRequire(`${modules}/anchor.js`).resolve("openai");
const { default: OpenAI } = await import(pathToFileURL(found).href);
const version = JSON.parse(readFileSync(`${modules}/node_modules/openai/package.json`, "utf8")).version;

const client = (options = {}) => new OpenAI({ baseURL, apiKey: "none", maxRetries: 0, ...options });
const model = "meridian-8b-instruct";
const messages = [{ role: "user", content: "hello from node" }];
const simulate = (kind) => ({ headers: { "x-simulate": kind } });

async function failure(kind, body = {}) {
  try {
    await client().chat.completions.create({ model, messages, ...body }, simulate(kind));
    return "none";
  } catch (error) {
    return `${error.constructor.name} ${error.status ?? ""}`.trim();
  }
}

const whole = await client().chat.completions.create({ model, messages, temperature: 0 });
let streamed = "", usage = null, finish = null;
const stream = await client().chat.completions.create({
  model, messages, temperature: 0, stream: true, stream_options: { include_usage: true },
});
for await (const chunk of stream) {
  streamed += chunk.choices[0]?.delta?.content ?? "";
  finish = chunk.choices[0]?.finish_reason ?? finish;
  usage = chunk.usage ?? usage;
}
const text = await client().completions.create({ model, prompt: "hello", max_tokens: 7, temperature: 0 });
const midStream = async () => {
  try {
    const broken = await client().chat.completions.create({ model, messages, stream: true }, simulate("mid_stream_error:1:after=3"));
    for await (const _ of broken) { /* until it breaks */ }
    return "none";
  } catch (error) {
    return error.constructor.name;
  }
};
async function retried() {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ kind: "429", times: 1, retry_after: 1 });
  await fetch(new URL("/simulate/faults", baseURL), { method: "POST", headers, body });
  const began = performance.now();
  const answer = await client({ maxRetries: 2 }).chat.completions.create({ model, messages });
  return [answer.object, performance.now() - began >= 1000];
}
const left = await client().chat.completions.create({ model, messages, stream: true, max_tokens: 4000 });
for await (const _ of left) break; // leaves: the connection is closed

console.log(JSON.stringify({
  version,
  models: (await client().models.list()).data.map((one) => one.id),
  same: whole.choices[0].message.content === streamed,
  finish,
  tokens: [whole.usage.completion_tokens, usage.completion_tokens],
  text: [text.choices[0].finish_reason, text.usage.completion_tokens],
  errors: {
    429: await failure("429"), 503: await failure("503"), 504: await failure("504"), 529: await failure("529"),
    400: await failure("", { n: 3 }), 404: await failure("", { model: "absent" }),
  },
  midStream: await midStream(),
  retried: await retried(),
}));
