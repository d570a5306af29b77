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
  const why = detailOf(parseJson(text)) ?? `${response.status} ${response.statusText}`;
  throw new SourceError("SOURCE_REFUSED", `The server rejected ${method} ${url}: ${why}`);
}

/** The detail of the server's problem. It is read by hand: the page would have the schemas a second time for it. */
function detailOf(problem: unknown): string | undefined {
  if (typeof problem !== "object" || problem === null || !("detail" in problem)) return undefined;
  return typeof problem.detail === "string" ? problem.detail : undefined;
}
