/** A request of a page, before it is sent. */
export interface Route {
  fulfill(response: object): Promise<void>;
  continue(): Promise<void>;
  abort(): Promise<void>;
}

/** What the tests use of a page; the driver has more. */
export interface Page {
  goto(address: string): Promise<{ status(): number } | null>;
  url(): string;
  close(): Promise<void>;
  content(): Promise<string>;
  textContent(selector: string): Promise<string | null>;
  evaluate(script: string): Promise<unknown>;
  click(selector: string): Promise<void>;
  isEnabled(selector: string): Promise<boolean>;
  inputValue(selector: string): Promise<string>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  setDefaultTimeout(ms: number): void;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  reload(): Promise<unknown>;
  check(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
  locator(selector: string): { count(): Promise<number> };
  waitForSelector(selector: string, options?: { readonly state: 'detached' }): Promise<unknown>;
  waitForResponse(
    isIt: (response: { url(): string }) => boolean,
  ): Promise<{ url(): string; status(): number }>;
  route(address: string, answer: (route: Route) => Promise<void>): Promise<unknown>;
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): unknown;
  on(event: 'request', listener: (request: { url(): string }) => void): unknown;
  on(event: 'pageerror', listener: (error: Error) => void): unknown;
}

/** A browser, without a window. */
export interface Browser {
  newContext(options?: {
    readonly javaScriptEnabled?: boolean;
    readonly colorScheme?: 'light' | 'dark';
    readonly viewport?: { readonly width: number; readonly height: number };
  }): Promise<{
    newPage(): Promise<Page>;
    cookies(): Promise<readonly { readonly name: string; readonly domain: string }[]>;
    close(): Promise<void>;
  }>;
  close(): Promise<void>;
}

export function browserHere(): string | undefined;
export function startBrowser(): Promise<Browser>;
/** What axe finds wrong with a page: each rule, and the places. */
export function axeFaults(page: Page): Promise<readonly string[]>;
