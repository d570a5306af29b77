import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

/** The policy of the page's server: nothing inline, nothing from elsewhere. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};

export interface Site {
  readonly url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves a folder and additional files over HTTP, with the strict policy. */
export async function serve(folder: string, files: Readonly<Record<string, string>>): Promise<Site> {
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? "/", "http://site").pathname.slice(1) || "index.html";
    const own = files[name];
    const found = own === undefined ? readFile(path.join(folder, name)) : Promise.resolve(own);
    found.then(
      (content) => {
        const type = TYPES[path.extname(name)] ?? "application/octet-stream";
        response.writeHead(200, { "content-type": type, "content-security-policy": POLICY }).end(content);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The site has no port.");
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
