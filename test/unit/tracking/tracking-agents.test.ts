import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isAutomatedAgent, isScanner } from '../../../domain/tracking/tracking-agents.ts';

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)';
const people = [
  `${WINDOWS} Chrome/138.0.0.0 Safari/537.36`,
  `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 Edg/138.0.0.0`,
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)',
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)',
  'Mozilla/5.0 (compatible; YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html)',
  'Mozilla/4.0 (compatible; ms-office; MSOffice rmj)',
  'Microsoft Office/16.0 (Windows NT 10.0; Microsoft Outlook 16.0.17928; Pro)',
  'Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Thunderbird/128.0',
  'Dalvik/2.1.0 (Linux; U; Android 14; SM-S911B)',
  'Mail/3826.700.81 CFNetwork/3826.500.131 Darwin/24.5.0',
  'Outlook-iOS/729.2508.0',
  'Javelin/3.2',
  'Nodemailer Reader 2',
  'Mozilla/5.0 (Linux; Android 9; CUBOT_P20 Build/PPR1.180610.011) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36',
];
const scanners = [
  'Barracuda Sentinel (EE)',
  `${WINDOWS} Microsoft Office Existence Discovery`,
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b',
  'WhatsApp/2.23.20.0 A',
  'googlebot/2.1',
  'Mozilla/5.0 (Linux; Android 11; moto g power (2022)) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36 Chrome-Lighthouse',
  `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 Prerender (+https://github.com/prerender/prerender)`,
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  `${WINDOWS} Chrome/138.0.0.0 Safari/537.36 GTmetrix`,
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
];
const machines = [
  '',
  '  ',
  'Mozilla/5.0',
  ' Mozilla/5.0 ',
  `${WINDOWS} Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0`,
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 HeadlessFirefox/128.0',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessEdg/138.0.0.0',
  'Mozilla/5.0 (linux) AppleWebKit/537.36 (KHTML, like Gecko) jsdom/24.0.0',
  'Google-HTTP-Java-Client/1.44.1 (gzip)',
  'Google-API-Java-Client/2.0.0 Google-HTTP-Java-Client/1.42.3 (gzip)',
  'RestSharp/112.0.0.0',
  'AHC/2.1',
  'curl/8.14.1',
  'Wget/1.21.4',
  'node',
  'node-fetch/1.0 (+https://github.com/bitinn/node-fetch)',
  'axios/1.7.2',
  'python-requests/2.32.3',
  'Python-urllib/3.12',
  'Go-http-client/2.0',
  'Java/17.0.9',
  'Java-http-client/21.0.1',
  'okhttp/4.12.0',
  'Apache-HttpClient/5.3.1 (Java/17)',
  'libwww-perl/6.72',
  'PHP/8.3',
  'GuzzleHttp/7',
  'PostmanRuntime/7.43.0',
  'Mozilla/5.0 (Windows NT; Windows NT 10.0; de-DE) WindowsPowerShell/5.1.19041.1',
];

test('people, their mail programs and the proxies in front of them are not automated', () => {
  for (const agent of people) assert.equal(isAutomatedAgent(agent), false, agent);
});

test('scanners, link checkers and previews that name themselves are', () => {
  for (const agent of scanners) assert.deepEqual([isScanner(agent), isAutomatedAgent(agent)], [true, true], agent);
});

test('so are proxies that fetch mail in advance, programs, and what has no agent', () => {
  for (const agent of [...machines, null]) assert.equal(isAutomatedAgent(agent), true, String(agent));
});
