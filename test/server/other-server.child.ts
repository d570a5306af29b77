import { getRequestListener } from "@hono/node-server";

// It replaces the global Response, before the server of signalbox is loaded.
getRequestListener(() => new Response(""));

const { enters, Served, SseReader } = await import("./support.ts");
const served = await Served.open({ script: "[{ tool: attempt_completion, input: { result: done } }]" });
const { id } = await served.create("Do it");
const stream = await SseReader.open(served, `/api/tasks/${id}/events`);
await stream.until(enters("idle"));
stream.close();
await served[Symbol.asyncDispose]();
console.log("idle");
