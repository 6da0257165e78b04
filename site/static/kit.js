// The kit's behaviours that the pages use.
import { setMessages } from './kit/i18n.js';
import { installToast } from './kit/toast.js';
import { installFieldErrors } from './kit/field-errors.js';
import { installCopy } from './kit/copy.js';
import { installRemoteDialog } from './kit/remote-dialog.js';
import { installCloseDialog } from './kit/close-dialog.js';
import { installSessionExpiry } from './kit/session-expiry.js';

if (document.documentElement.lang === 'ja') {
  setMessages((await import('./kit/locales/ja.js')).default);
}
installToast();
installFieldErrors();
installCopy();
installRemoteDialog();
installCloseDialog();
installSessionExpiry();
