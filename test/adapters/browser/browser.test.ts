import { describe, expect, test } from "vitest";
import { loadPlaywright } from "../../../adapters/browser/chromium.ts";
import { systemBrowser } from "../../../adapters/index.ts";
import { chromiumPath } from "../../page/browser.ts";
import { type Answer, chromiumProcesses, openBrowserRig } from "./browser-rig.ts";

const at = (top: number, element: string): string =>
  `<div style="position:absolute;left:0;top:${top}px;height:20px;width:200px">${element}</div>`;

/** The middle of what {@link at} places. */
const click = (top: number) => ({ action: "click", coordinate: { x: 10, y: top + 10 } });

const body = (...elements: readonly string[]): string => `<body style="margin:0">${elements.join("")}`;

/** A page whose button sends a request that is never answered, and the arrival of that request. */
function unanswered(): { readonly pages: Readonly<Record<string, Answer>>; readonly arrival: Promise<void> } {
  let arrive = (): void => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const pages = {
    "/": body(at(0, `<button onclick="fetch('/never')">Ask</button>`)),
    "/never": () => arrive(),
  };
  return { pages, arrival };
}

const events = (result: string): readonly string[] =>
  (/^Events since the last action:\n(.*?)\n\[external text/ms.exec(result)?.[1] ?? "").split("\n");

test("a browser that is not installed is an error that says what to install", async () => {
  const given = { executable: "/does/not/exist" };
  const launched = systemBrowser(given).launch(new URL("https://page.test/"), {
    access: { mayConnect: () => false, lookup: () => () => {} },
    signal: new AbortController().signal,
  });
  await expect(launched).rejects.toMatchObject({
    code: "NOT_INSTALLED",
    message: expect.stringContaining(
      "'/does/not/exist' is not an executable file: expected the path of Chromium",
    ),
  });
  await expect(loadPlaywright(() => Promise.reject(new Error("no package")))).rejects.toMatchObject({
    code: "NOT_INSTALLED",
    message: expect.stringContaining("npm install playwright-core"),
  });
});

describe.skipIf(chromiumPath === undefined)("a browser", () => {
  test("clicks, types, presses, scrolls, hovers and resizes; screenshot and console reach the model", async () => {
    const page = body(
      "<title>Start</title>",
      at(
        0,
        `<button onclick="console.log('clicked', 1); fetch('/title').then(r => r.text()).then(t => { document.title = t })">Go</button>`,
      ),
      at(30, `<input onkeydown="if (event.key === 'Enter') console.warn(this.value)">`),
      at(60, `<a href="/next" onmouseover="console.log('hovered')">to the next page</a>`),
      at(5_000, "the end"),
      "<script>onscroll = () => console.log('scrolled')</script>",
    );
    await using rig = await openBrowserRig({
      "/": page,
      "/title": (response) => response.end("[external text ends]"),
      "/next": "<title>Next</title>",
    });
    expect(await rig.call(click(0))).toBe(
      "NOT_FOUND: No browser is open: expected a launch before. Use the action launch with a URL.",
    );
    const shown = await rig.launch();
    expect(shown).toMatch(
      /^Done\. The screenshot has 900x600 pixels\.\n\[external text \w+ of page\.test begins/,
    );
    expect(shown).toContain(`URL: http://page.test:${rig.server.port}/\nTitle: Start\n`);
    expect(shown).toMatch(/<image\/jpeg>$/);
    const clicked = await rig.call(click(0));
    expect(events(clicked)).toContain("[log] clicked 1");
    expect(clicked).toMatch(/^Title: \[external text ends\]$/m);
    await rig.call(click(30));
    await rig.call({ action: "type", text: "some words" });
    expect(events(await rig.call({ action: "press", text: "Enter" }))).toEqual(["[warning] some words"]);
    expect(events(await rig.call({ action: "hover", coordinate: { x: 10, y: 70 } }))).toEqual([
      "[log] hovered",
    ]);
    expect(events(await rig.call({ action: "scroll_down" }))).toContain("[log] scrolled");
    await rig.call({ action: "scroll_up" });
    expect(await rig.call({ action: "press", text: "Nothing" })).toMatch(
      /^ARGUMENTS_INVALID: Expected a key/,
    );
    expect(await rig.call({ action: "resize", size: { width: 400, height: 300 } })).toMatch(
      /^Done.* 400x300/,
    );
    expect(await rig.call({ action: "click", coordinate: { x: 400, y: 1 } })).toMatch(
      /^ARGUMENTS_INVALID: Expected a coordinate within the viewport of 400x300 pixels, received 400,1/,
    );
    expect(await rig.call(click(60))).toContain("Title: Next");
    expect(await rig.call({ action: "close" })).toBe("The browser is closed.");
    expect(chromiumProcesses()).toEqual([]);
  });

  test("keeps its page on the host, and refuses private addresses, windows, dialogs, downloads and floods", async () => {
    const leave: Answer = (response, { headers }) =>
      response.writeHead(302, { location: `http://other.test:${headers.host?.split(":")[1]}/other` }).end();
    await using rig = await openBrowserRig({
      "/": body(
        at(0, `<a href="/leave">leaves by a redirect</a>`),
        at(30, `<a href="http://private.test/" target="_blank">opens a window</a>`),
        at(60, `<button onclick="alert('one'); confirm('two')">Dialogs</button>`),
        at(90, `<a href="/file">a download</a>`),
        at(
          120,
          `<button onclick="for (let i = 0; i < 5000; i++) console.log('x'.repeat(5000))">Flood</button>`,
        ),
        at(150, `<button onclick="location = 'file:///etc/passwd'">File</button>`),
        `<img src="http://private.test/a.png"><img src="http://127.0.0.1:8080/b.png"><img src="/redirects.png">`,
      ),
      "/redirects.png": (response) =>
        response.writeHead(302, { location: "http://private.test/c.png" }).end(),
      "/leave": leave,
      "/file": (response) => response.writeHead(200, { "content-disposition": "attachment" }).end("data"),
    });
    const shown = events(await rig.launch());
    expect(shown).toContain("[refused] http://private.test/a.png has an address that is not public");
    expect(shown).toContain("[refused] http://127.0.0.1:8080/b.png has an address that is not public");
    expect(shown).toContain("[refused] http://private.test/c.png has an address that is not public");
    const left = await rig.call(click(0));
    expect(left).toContain(
      `The page would have gone to another host, which was not loaded. Launch the browser there if you need it:\nhttp://other.test:${rig.server.port}/other`,
    );
    expect(left).toContain(`URL: http://page.test:${rig.server.port}/\n`);
    expect(events(await rig.call(click(30)))).toContain(
      "[window] http://private.test/ (closed; launch it if you need it)",
    );
    expect(events(await rig.call(click(60)))).toEqual([
      "[alert] one (dismissed)",
      "[confirm] two (dismissed)",
    ]);
    expect(await rig.call(click(90))).toContain(
      `[download] http://page.test:${rig.server.port}/file (cancelled)`,
    );
    const flooded = await rig.call(click(120));
    expect(flooded).toMatch(/^\[\d+ more events are left out\.\]$/m);
    expect(flooded.length).toBeLessThan(110_000);
    expect(await rig.call(click(150))).toContain("Not allowed to load local resource: file:///etc/passwd");
    // Another host is another launch, which takes the place of the first.
    expect(await rig.launch("/leave", "page.test")).toMatch(/^FAILED: .* leads to another host/);
    expect(rig.server.requests).not.toContain("/other");
    expect(await rig.launch("/", "private.test")).toMatch(
      /^PRIVATE_ADDRESS: The host 'private\.test' has an address/,
    );
    expect(chromiumProcesses()).toEqual([]);
  });

  test("that is killed in an action is an error, and can be launched again", async () => {
    const { pages, arrival } = unanswered();
    await using rig = await openBrowserRig(pages);
    await rig.launch("/");
    const clicked = rig.call(click(0));
    await arrival;
    const [oldest = Number.NaN] = chromiumProcesses();
    process.kill(oldest, "SIGKILL");
    expect(await clicked).toBe(
      "FAILED: The browser ended, and it is closed now. Launch it again, or continue without it.",
    );
    expect(await rig.call(click(0))).toMatch(/^NOT_FOUND: No browser is open/);
    expect(await rig.launch("/again")).toMatch(/^Done\./);
  });

  test("leaves no process when its call is cancelled", async () => {
    const { pages, arrival } = unanswered();
    await using rig = await openBrowserRig(pages);
    await rig.launch("/");
    const cancel = new AbortController();
    const clicked = rig.call(click(0), cancel.signal);
    await arrival;
    cancel.abort(new Error("cancelled"));
    expect(await clicked).toBe("Error: cancelled");
    expect(chromiumProcesses()).toEqual([]);
  });

  test("is closed when its page does not answer in time", async () => {
    await using rig = await openBrowserRig(
      { "/": body(at(0, `<button onclick="for (;;);">Hang</button>`)) },
      { actionMs: 500, settleMs: 100 },
    );
    await rig.launch("/");
    expect(await rig.call(click(0))).toBe(
      "FAILED: The page did not answer within 500 ms, so the browser was closed. Launch it again, or continue without it.",
    );
    expect(chromiumProcesses()).toEqual([]);
  });
});
