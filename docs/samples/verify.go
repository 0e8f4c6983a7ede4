package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// IsFromService says whether the service sent this body, which is as it arrived.
func IsFromService(secret string, header http.Header, body []byte, now time.Time) bool {
	timestamp := header.Get("X-Service-Timestamp")
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return false
	}
	if age := now.Unix() - int64(seconds); age > 300 || age < -300 {
		return false
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "."))
	mac.Write(body)
	expected := []byte("v1=" + hex.EncodeToString(mac.Sum(nil)))
	return hmac.Equal([]byte(header.Get("X-Service-Signature")), expected) ||
		hmac.Equal([]byte(header.Get("X-Service-Signature-Next")), expected)
}
