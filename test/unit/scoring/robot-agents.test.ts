import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isRobot } from '../../../domain/scoring/visits/robot-agents.ts';

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)';
const PHONE = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0 Mobile Safari/537.36';

const people = [
  `${LINUX} Chrome/140.0.0.0 Safari/537.36`,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) GSA/380.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 390.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15 DuckDuckGo/7',
  `Mozilla/5.0 (Linux; Android 13; CUBOT P80) ${PHONE}`,
  `Mozilla/5.0 (Linux; Android 11; CUBOT_X30) ${PHONE}`,
  `Mozilla/5.0 (Linux; Android 12; Cubot) ${PHONE}`,
  `Mozilla/5.0 (Linux; Android 14; SM-S911B) ${PHONE} [FB_IAB/FB4A;FBAV/480.0;]`,
  `Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  `${LINUX} Chrome/138.0.0.0 YaBrowser/25.8 Safari/537.36`,
  'curl/8.14.1',
  'node',
  '',
];
const robots = [
  'AdsBot-Google (+http://www.google.com/adsbot.html)',
  `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${PHONE} (compatible; AdsBot-Google-Mobile; +http://www.google.com/mobile/adsbot.html)`,
  'Mediapartners-Google',
  'Mozilla/5.0 (compatible; Google-InspectionTool/1.0;)',
  `${LINUX} Chrome/138.0.0.0 Safari/537.36 Chrome-Lighthouse`,
  `${LINUX} HeadlessChrome/140.0.0.0 Safari/537.36`,
  'Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)',
  'Mozilla/5.0 (compatible; SemrushBot/7~bl; +http://www.semrush.com/bot.html)',
  `${LINUX} Chrome/131.0.0.0 Safari/537.36; compatible; GPTBot/1.2; +https://openai.com/gptbot`,
  'Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)',
  'Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (KHTML, like Gecko) Mobile Safari/537.36 (compatible; Bytespider)',
  'Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)',
  'Mozilla/5.0 (compatible; MJ12bot/v1.4.8; http://mj12bot.com/)',
  'Mozilla/5.0 (compatible; archive.org_bot +http://archive.org/details/archive.org_bot)',
  'Mozilla/5.0 (compatible; SiteAuditBot_2; crawler)',
  'UptimeRobot/2.0',
  'Screaming Frog SEO Spider/21.0',
  'Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)',
  'Scrapy/2.11 (+https://scrapy.org)',
  // Those of clicks.
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (Windows NT 10.0; BarracudaCentral)',
];

test('browsers of people and tools that a person may use are no robots', () => {
  for (const agent of people) assert.equal(isRobot(agent), false, agent);
});

test('programs that open pages and say so are robots', () => {
  for (const agent of robots) assert.equal(isRobot(agent), true, agent);
});
