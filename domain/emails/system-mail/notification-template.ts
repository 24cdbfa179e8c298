import type { SystemTemplate } from '../templates/keep-system-template.ts';

/**
 * The system key of emails about campaigns, form submissions and scores to those who run them. They have no link of the
 * service.
 */
export const NOTIFICATION_KEY = 'notification';

/** Shows `data.subject` and the plain text `data.body`; values are escaped in HTML. */
export function notificationTemplate(): SystemTemplate {
  const content = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>{{ data.subject }}</title></head>
<body style="margin:0;padding:24px;background:#ffffff">
<p style="margin:0;font:16px/1.5 Arial,Helvetica,sans-serif;color:#1f1f1f">{{ data.body | newline_to_br }}</p>
</body></html>`;
  return {
    name: 'Notification of a campaign, form or score',
    subject: '{{ data.subject }}',
    content,
    text: '{{ data.body }}\n',
  };
}
