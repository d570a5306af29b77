import { z } from "zod";
import { parseJson } from "../../../../machines/message/index.ts";

const question = z.looseObject({
  question: z.string(),
  suggest: z.array(z.looseObject({ answer: z.string(), mode: z.string().nullish() })).default([]),
});

/** Parse a question with its suggested answers; a partial one is the text alone. */
export function parseQuestion(text: string): z.output<typeof question> {
  return question.safeParse(parseJson(text)).data ?? { question: text, suggest: [] };
}

const mcpCall = z.looseObject({
  type: z.string().optional(),
  serverName: z.string(),
  toolName: z.string().optional(),
  uri: z.string().optional(),
  arguments: z.unknown().optional(),
});

/** Parse a request to an MCP server; `undefined` for a message of another form. */
export function parseMcpCall(text: string): z.output<typeof mcpCall> | undefined {
  return mcpCall.safeParse(parseJson(text)).data;
}
