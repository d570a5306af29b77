import { z } from "zod";
import type {
  ElicitationAnswer,
  ElicitationField,
  ElicitationRequest,
} from "../../machines/message/elicitation.ts";
import { parseJson } from "../../machines/message/json.ts";
import { elicitationSchema } from "../../wire/elicitation.ts";

/** The meaning of an answer to a request for input, or why it has none. */
export type Elicited =
  | { readonly ok: true; readonly answer: ElicitationAnswer }
  | { readonly ok: false; readonly error: string };

type Form = Extract<z.output<typeof elicitationSchema>, { mode: "form" }>;

/**
 * Parse the text that answers a request for input: `decline`, `cancel`, `accept`, or a JSON object of the fields of a
 * form. Of a form with one field, its value will do.
 */
export function parseElicited(asked: ElicitationRequest, text: string): Elicited {
  const word = text.trim();
  if (word === "decline" || word === "cancel") return { ok: true, answer: { action: word } };
  // A copy, since Zod takes no readonly lists.
  const request = elicitationSchema.parse(asked);
  if (request.mode === "form") return parseContent(request, word);
  return word === "accept"
    ? { ok: true, answer: { action: "accept" } }
    : { ok: false, error: "expected accept, decline or cancel." };
}

function parseContent({ requestedSchema }: Form, word: string): Elicited {
  const given = word === "accept" ? {} : contentIn(requestedSchema.properties, word);
  const schema = z.fromJSONSchema({ ...requestedSchema, additionalProperties: false });
  const parsed = schema.pipe(contentSchema).safeParse(given);
  if (parsed.success) return { ok: true, answer: { action: "accept", content: parsed.data } };
  const [issue] = parsed.error.issues;
  const at = issue?.path.join(".") ?? "";
  return { ok: false, error: `${at === "" ? "" : `${at}: `}${issue?.message ?? "not valid"}.` };
}

const contentSchema = z.record(
  z.string(),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
);

/** The fields in a text. Anything else is not valid by any schema of a form. */
function contentIn(properties: Form["requestedSchema"]["properties"], text: string): unknown {
  const parsed = parseJson(text);
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed;
  const [only, ...others] = Object.entries(properties);
  if (only === undefined || others.length > 0) return text;
  const [name, field] = only;
  return { [name]: valueIn(field, text) };
}

const valueIn = ({ type }: ElicitationField, text: string): unknown =>
  type === "string" ? text : (parseJson(text) ?? text);
