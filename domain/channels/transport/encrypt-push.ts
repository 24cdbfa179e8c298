import webPush from 'web-push';

/** A payload for one browser, and the keys of its subscription in base64url. */
export interface ToEncrypt {
  p256dh: string;
  auth: string;
  payload: Uint8Array;
}

/** The body of a push (RFC 8291, with the coding of RFC 8188): one record. Takes about a millisecond. */
export const encryptPush = ({ p256dh, auth, payload }: ToEncrypt): Buffer =>
  webPush.encrypt(p256dh, auth, Buffer.from(payload), 'aes128gcm').cipherText;
