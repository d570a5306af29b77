import { parseJson } from "../../../machines/message/json.ts";
import { SourceError } from "./source-error.ts";

/**
 * Exchange the token in the address's fragment for a session cookie. The token is removed from the address, so that it
 * is in no bookmark and no history. Without a token, check that the server accepts the existing cookie.
 *
 * @throws SourceError `SOURCE_REFUSED` if the server accepts neither
 */
export async function startSession(baseUrl: string): Promise<void> {
  const fields = new URLSearchParams(location.hash.slice(1));
  const token = fields.get("token");
  if (token !== null) {
    fields.delete("token");
    const rest = fields.toString();
    history.replaceState(null, "", rest === "" ? location.pathname + location.search : `#${rest}`);
    await request(`${baseUrl}api/session`, { method: "POST", body: { token } });
  }
  await request(`${baseUrl}api/tasks`);
}

/** Send a request and parse the JSON response. @throws SourceError with the server's error message */
export async function request(
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
  if (response.ok) return text === "" ? undefined : parseJson(text);
  const problem = parseJson(text);
  const why = textIn(problem, "detail") ?? `${response.status} ${response.statusText}`;
  const code = textIn(problem, "code");
  throw new SourceError("SOURCE_REFUSED", `The server rejected ${method} ${url}: ${why}`, code);
}

/** A text of the server's problem. It is read by hand: the page would have the schemas a second time for it. */
function textIn(problem: unknown, field: "detail" | "code"): string | undefined {
  const value: unknown =
    typeof problem === "object" && problem !== null ? Reflect.get(problem, field) : undefined;
  return typeof value === "string" ? value : undefined;
}
