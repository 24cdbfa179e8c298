/**
 * User agents of programs that fetch links and images of emails automatically, and say so.
 * - Mail security gateways that follow links before a person does.
 * - Office, which checks a link before it opens the browser.
 * - Previews of links that were pasted elsewhere.
 * - Search engines that found a forwarded link, and other crawlers.
 * - Services that render or measure a page.
 * Not included: the image proxies of Gmail (GoogleImageProxy) and Yahoo (YahooMailProxy), which fetch when a person
 * opens the email.
 */
const SCANNER = new RegExp(
  [
    'barracuda|proofpoint|mimecast|ironport|cisco ?secure ?email|fortimail|fortiguard|forcepoint|messagelabs',
    'trend ?micro|TMES|cloudmark|sophos|fireeye',
    'Microsoft Office (?:Existence|Protocol) Discovery|SkypeUriPreview|BingPreview',
    'Slackbot|Slack-ImgProxy|facebookexternalhit|facebookcatalog|Twitterbot|LinkedInBot|WhatsApp/|TelegramBot',
    'Discordbot|Snap URL Preview|Pinterestbot|redditbot',
    'Embedly|Iframely|vkShare|MicrosoftPreview|Google-PageRenderer',
    'Googlebot|GoogleOther|Google-InspectionTool|AdsBot-Google|Mediapartners-Google|FeedFetcher-Google|bingbot|Applebot',
    'YandexBot|Baiduspider|DuckDuckBot|PetalBot|AhrefsBot|SemrushBot|MJ12bot|DotBot|Bytespider|Amazonbot|CCBot',
    'GPTBot|ChatGPT-User|OAI-SearchBot|ClaudeBot|PerplexityBot|meta-externalagent|archive\\.org_bot',
    'Chrome-Lighthouse|PageSpeed|GTmetrix|Pingdom|UptimeRobot|StatusCake|Prerender|Rendertron',
  ].join('|'),
  'i',
);

/** Whether a user agent names itself as a scanner, link checker, preview or search engine; false if it is missing. */
export const isScanner = (userAgent: string): boolean => SCANNER.test(userAgent);

/**
 * What fetches mail in advance without a person: Apple's Mail Privacy Protection has no more than this; Gmail has one
 * that no browser has had since 2017.
 */
const APPLE_PROXY = 'Mozilla/5.0';
const GMAIL_PREFETCH = /\bEdge\/12\.246\b/;

/** Libraries and programs, which begin with their name, and browsers without a window. */
const PROGRAM = new RegExp(
  [
    '^(?:curl|wget|httpie|xh|fetch|node|node-fetch|undici|axios|got|superagent|deno|bun|postmanruntime|insomnia)(?:[/ (]|$)',
    '^(?:python|aiohttp|httpx|scrapy|go-http-client|java|apache-httpclient|jakarta|okhttp|reactornetty|ktor-client|google-(?:http|api)-[a-z]{1,20}-client|async-http-client|ahc|jersey|jetty|vert\\.x-webclient|akka-http|feign|unirest)\\b',
    '^(?:libwww-perl|lwp|mechanize|pycurl|restsharp|typhoeus|aria2|lychee|php|guzzlehttp|symfony|wordpress|ruby|faraday|rest-client|httparty|reqwest|hyper|dart)\\b',
    'Headless|PhantomJS|SlimerJS|HtmlUnit|jsdom|Splash/\\d|WebDriver|Cypress|Puppeteer|Playwright|Selenium|WindowsPowerShell',
  ].join('|'),
  'i',
);

/** Whether a hit with this user agent was not made by a person; so is one without an agent, which browsers have. */
export function isAutomatedAgent(userAgent: string | null): boolean {
  const agent = userAgent?.trim() ?? '';
  return agent === '' || agent === APPLE_PROXY || isScanner(agent) || PROGRAM.test(agent) || GMAIL_PREFETCH.test(agent);
}
