import { problemSchema } from "../../../wire/index.ts";
import { SourceError } from "./source-error.ts";

/**
 * Exchanges the token behind `#` of the page's address for the session's cookie, and takes it out of the address, so
 * that it is in no bookmark and no history. Where there is none, the cookie of before has to do:
 * that the server takes it is tried.
 *
 * @throws SourceError `SOURCE_REFUSED` where the server takes neither
 */
export async function enterSession(baseUrl: string): Promise<void> {
  const fields = new URLSearchParams(location.hash.slice(1));
  const token = fields.get("token");
  if (token !== null) {
    fields.delete("token");
    const rest = fields.toString();
    history.replaceState(null, "", rest === "" ? location.pathname + location.search : `#${rest}`);
    await ask(`${baseUrl}api/session`, { method: "POST", body: { token } });
  }
  await ask(`${baseUrl}api/tasks`);
}

/** One request, and the JSON of its answer. @throws SourceError in the words of the server's problem */
export async function ask(
  url: string,
  { method = "GET", body }: { readonly method?: string; readonly body?: unknown } = {},
): Promise<unknown> {
  const response = await fetch(url, {
    method,
    credentials: "same-origin",
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (response.ok) return text === "" ? undefined : jsonOf(text);
  const problem = problemSchema.safeParse(jsonOf(text));
  const why = problem.success ? problem.data.detail : `${response.status} ${response.statusText}`;
  throw new SourceError("SOURCE_REFUSED", `The server refused ${method} ${url}: ${why}`);
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
