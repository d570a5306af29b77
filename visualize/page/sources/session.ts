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

/**
 * Load the page again when its address gets a token, as when the address that a restarted server printed is entered here:
 * a browser loads nothing for a new fragment.
 */
export function reloadForTokens(): void {
  addEventListener("hashchange", (event) => {
    if (!new URLSearchParams(location.hash.slice(1)).has("token")) return;
    event.stopImmediatePropagation();
    location.reload();
  });
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

/** A text in the server's JSON. It is read by hand: the page would have the schemas a second time for it. */
export function textIn(json: unknown, field: "detail" | "code" | "taskId"): string | undefined {
  const value: unknown = typeof json === "object" && json !== null ? Reflect.get(json, field) : undefined;
  return typeof value === "string" ? value : undefined;
}
